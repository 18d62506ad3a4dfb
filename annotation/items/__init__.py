"""From runs to the items of a campaign: sampled, frozen, ordered, with slots for raters."""
