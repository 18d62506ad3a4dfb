"""The table of runs with automatic and human figures."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.charts.tradeoff import tradeoff_chart
from annotation.models import Campaign, CampaignRun
from annotation.results.cached_figures import FigureCache
from annotation.results.joined import F1, FIGURES, UNREVISED, cached_joined_rows, runs_of
from annotation.results.joined_revisions import JOINED
from pipeline.engine.scorer_info import run_scorer
from pipeline.figures.comparison import ComparedRow
from pipeline.generation.strategies import STRATEGIES
from pipeline.models import Dataset, Revision, Run
from pipeline.models.runs import RunQuerySet
from pipeline.pages.charts import PageChart
from pipeline.pages.run_table import FigureColumn, RunTable, run_table
from pipeline.pages.table_files import files_of
from pipeline.views.charts import chart_response, table_response
from pipeline.views.lists import researchers_only
from rarrweb.accounts.http import UserRequest
from rarrweb.accounts.models import User
from rarrweb.web.paging import key_of

OFFERED = 100
MAX_CAMPAIGNS = 8
MAX_RUNS = 24


@dataclass(kw_only=True)
class TableChoice:
    offered: list[Campaign]
    """The latest that can be joined."""
    recent: list[Run]
    """The latest that have revised a passage, newest first."""
    campaigns: list[Campaign] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    pairs: list[tuple[str, str]] = field(default_factory=list)
    """As query parameters."""
    problem: str = ""
    """A fault of the address, in a sentence."""
    is_default: bool = False

    @property
    def datasets(self) -> list[Dataset]:
        return list({run.dataset_id: run.dataset for run in self.runs}.values())

    @property
    def datasets_offered(self) -> list[Dataset]:
        return list({run.dataset_id: run.dataset for run in self.recent}.values())

    @property
    def runs_offered(self) -> list[Run]:
        """Return the latest runs over the same datasets, oldest first."""
        chosen = {run.dataset_id for run in self.runs}
        return [run for run in reversed(self.recent) if run.dataset_id in chosen]


def read_choice(request: UserRequest) -> TableChoice:
    """Read the choice of runs and campaigns; each parameter may be repeated.

    `campaign=SLUG` implies its runs, unless there are `run=NUMBER` or `dataset=SLUG` (its latest
    runs), which imply their campaigns. `with=SLUG` adds linked campaigns. The default is the
    dataset of the latest run.
    """
    recent = _revised(request.user).filter(dataset__archived_at=None).order_by("-pk")[:OFFERED]
    choice = TableChoice(offered=_offered(request.user), recent=list(recent))
    _choose_campaigns(choice, request)
    _choose_runs(choice, request)
    if not (choice.pairs or choice.problem):
        _choose_latest(choice)
    choice.runs.sort(key=lambda run: run.pk)
    if choice.campaigns and not choice.runs:
        choice.runs = [run for run in runs_of(choice.campaigns) if not run.writes_answers]
    elif choice.runs and not choice.campaigns:
        choice.campaigns = _judging(choice)
    return choice


def _offered(user: User) -> list[Campaign]:
    led = Campaign.objects.led_by(user).current().filter(questionnaire__in=JOINED)
    return list(led.exclude(state=Campaign.State.DRAFT).order_by("-pk")[:OFFERED])


def _revised(user: User) -> RunQuerySet:
    done = Revision.objects.filter(run=OuterRef("pk"), state=Revision.State.DONE)
    # Strategies do not revise: they are compared at /compare/.
    systems = Run.objects.of_systems().exclude(system__in=STRATEGIES)
    visible = systems.visible_to(user).current().filter(Exists(done))
    return visible.select_related("dataset", "corpus")


def _choose_campaigns(choice: TableChoice, request: UserRequest) -> None:
    slugs = set(request.GET.getlist("campaign"))
    start = next((each for each in choice.offered if each.slug == request.GET.get("with")), None)
    if start is not None:
        first = start.follows_id or start.pk
        slugs |= {start.slug} | {
            each.slug for each in choice.offered if first in {each.pk, each.follows_id}
        }
    chosen = [each for each in choice.offered if each.slug in slugs]
    if len(chosen) > MAX_CAMPAIGNS:
        choice.problem = f"Choose at most {MAX_CAMPAIGNS} campaigns."
        return
    if len(chosen) < len(slugs):
        choice.problem = "Some of these campaigns cannot be joined: choose from the list."
    choice.campaigns = chosen
    choice.pairs += [("campaign", each.slug) for each in chosen]


def _choose_runs(choice: TableChoice, request: UserRequest) -> None:
    keys = list(dict.fromkeys(filter(None, map(key_of, request.GET.getlist("run")))))
    visible = Run.objects.visible_to(request.user).select_related("dataset", "corpus")
    chosen = list(visible.filter(pk__in=keys[:MAX_RUNS]))
    if len(keys) > MAX_RUNS:
        choice.problem = f"Choose at most {MAX_RUNS} runs."
    elif len(chosen) < len(keys):
        choice.problem = "Some of these runs do not exist: choose from the list."
    if any(run.writes_answers for run in chosen):
        choice.problem = "Strategies revise nothing: compare their answers among runs."
        chosen = [run for run in chosen if not run.writes_answers]
    choice.pairs += [("run", str(run.pk)) for run in chosen]
    for slug in dict.fromkeys(request.GET.getlist("dataset")):
        dataset = get_object_or_404(Dataset.objects.visible_to(request.user), slug=slug)
        chosen += _revised(request.user).filter(dataset=dataset).order_by("-pk")[:MAX_RUNS]
        choice.pairs.append(("dataset", dataset.slug))
    choice.runs = list({run.pk: run for run in chosen}.values())


def _choose_latest(choice: TableChoice) -> None:
    choice.is_default = True
    if choice.recent:
        dataset = choice.recent[0].dataset
        latest = [run for run in choice.recent if run.dataset_id == dataset.pk]
        choice.runs = latest[:MAX_RUNS]
        choice.pairs.append(("dataset", dataset.slug))
    elif choice.offered:  # of imported texts
        choice.campaigns = choice.offered[:1]
        choice.pairs.append(("campaign", choice.offered[0].slug))


def _judging(choice: TableChoice) -> list[Campaign]:
    links = CampaignRun.objects.filter(run__in=choice.runs, campaign__in=choice.offered)
    judging = set(links.order_by().values_list("campaign_id", flat=True))
    return [each for each in choice.offered if each.pk in judging][:MAX_CAMPAIGNS]


_GROUPS = {"Attr": "Attribution", "Pres": "Preservation", "F1": r"F1$_\mathrm{AP}$"}
COLUMNS = tuple(
    FigureColumn(
        key=key, name=name, sub=sub, note=note, before=before, latex=latex, group=_GROUPS[name]
    )
    for key, name, sub, note, before, latex in (
        ("attr_auto_after", "Attr", "auto", "before → after", "attr_auto_before", "auto"),
        ("attr_ais_after", "Attr", "AIS", "before → after", "attr_ais_before", "AIS"),
        ("pres_intent", "Pres", "intent", "by raters", "", "intent"),
        ("pres_lev", "Pres", "Lev", "edit distance", "", "Lev"),
        ("pres_comb", "Pres", "comb", "product", "", "comb"),
        ("f1_auto", "F1", "AP", "by models", "", "auto"),
        ("f1_human", "F1", "AP", "by raters", "", "AIS"),
    )
)


@require_safe
@never_cache
def joined_results(request: UserRequest, form: str = "") -> HttpResponse:
    """Display the table; `format=csv` or `latex` returns its file, `form` a file of the chart.

    `against=RUN` or `unrevised` is the reference of differences.
    """
    researchers_only(request)
    choice = read_choice(request)
    against = _against(request, choice)
    name = request.GET.get("format", "")
    cache = FigureCache() if form or name else FigureCache.of_request(request)
    rows = cached_joined_rows(choice.campaigns, choice.runs, cache, against=against) or []
    if cache.is_missing and (form or name):
        return cache.unavailable_response()
    if form:
        return chart_response(request, tradeoff_chart(rows), "results-tradeoff", form)
    files = files_of(rows, COLUMNS, figures=FIGURES, compared=tuple(F1), has_repeats=True)
    if name:
        return table_response(files, "results", name)
    query = urlencode([*choice.pairs, *([("against", against)] if against else [])])
    context = {
        "choice": choice,
        "figure_cache": cache,
        "rows": rows,
        "against": against,
        "query": query,
        "shown": _chart(rows, query),
        "kinds": {each.questionnaire for each in choice.campaigns},
        "scorers": {str(s) for run in choice.runs if (s := run_scorer(run.config, run.versions))},
        "datasets": choice.datasets_offered,
        "runs": choice.runs_offered,
        "most": {"campaigns": MAX_CAMPAIGNS, "runs": MAX_RUNS},
        "files": files,
        "table": _table(rows, against),
    }
    return render(request, "annotation/joined_results.html", context)


def _chart(rows: Sequence[ComparedRow], query: str) -> PageChart:
    address = reverse("annotation:joined-chart", args=["svg"]).removesuffix(".svg")
    return PageChart(
        name="tradeoff",
        title="Attribution and preservation",
        empty_text="A point for each run, once one has figures of both.",
        chart=tradeoff_chart(rows),
        address=address,
        query=f"&{query}",
    )


def _against(request: UserRequest, choice: TableChoice) -> str:
    reference = request.GET.get("against", "")
    return reference if reference in {UNREVISED, *(str(run.pk) for run in choice.runs)} else ""


def _table(rows: Sequence[ComparedRow], against: str) -> RunTable:
    """Return the table with differences by raters, or by models if there are none."""
    leads = [row.leads["f1_human"] for row in rows if row.leads]
    lead = "f1_human" if any(each.estimate for each in leads) else "f1_auto"
    by = "by raters" if lead == "f1_human" else "by models"
    names = {row.run.system for row in rows if row.is_reference}
    reference = names.pop() if len(names) == 1 else "reference"
    minus = "before" if against == UNREVISED else reference
    return run_table(rows, COLUMNS, lead=lead, lead_name=f"F1 {by}, minus {minus}")
