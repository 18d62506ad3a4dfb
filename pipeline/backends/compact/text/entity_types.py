"""What kind of thing a name most likely names, so that a question can say who, where or which.

By the name's own words ("University", "River"), by lists of given names and of places, and by the
words before it. A guess where it must be one: a wrong "who" costs a question its grace, no more.
"""

import enum
import re
import re as _re
from functools import lru_cache

from pipeline.backends.compact.text.words import is_common, words_in


class Sort(enum.StrEnum):
    """What a name may name."""

    PERSON = "person"
    PLACE = "place"
    PEOPLE = "people"
    THING = "thing"
    """An organisation, a work or an event with a word of its own for it: see `class_word`."""
    UNKNOWN = "unknown"


# The last word of a name, and what people call the thing.
_CLASS_WORDS = {
    word: word.lower()
    for word in words_in(
        """University College School Academy Institute Museum Library Hospital Church Cathedral
        Abbey Temple River Lake Bridge Street Avenue Road Tower Castle Palace Hotel
        Stadium Arena Airport Park Island Mountain Valley Bay Sea Ocean Desert County
        City Province District Prize Award Cup Championship League Tournament Festival
        Party Act Treaty Agreement Constitution War Battle Revolution Movement Company
        Bank Association Society Organization Organisation Foundation Committee
        Commission Council Court Ministry Department Agency Army Navy Orchestra Band
        Theatre Theater Studio Club Team Magazine Journal Newspaper Channel Network
        Medal Conference Union Group Centre Center Program Programme Project Order
        Station Line Railway Mill Factory Dam Canal Square Hall Fort Cemetery Mosque
        Monastery Dynasty Empire Kingdom Republic Syndrome Disease Theorem Effect
        Equation"""
    )
} | {
    "Inc": "company", "Ltd": "company", "Corporation": "company", "Corp": "company",
    "LLC": "company", "Co": "company", "Records": "record label", "Pictures": "film studio",
    "Studios": "studio", "Times": "newspaper", "Post": "newspaper", "Awards": "awards",
    "Games": "games", "Olympics": "games", "Islands": "islands", "Mountains": "mountains",
    "FC": "club", "F.C": "club", "Press": "publisher", "Books": "publisher",
    "Airlines": "airline", "Airways": "airline", "Prizes": "prizes", "States": "country",
}  # fmt: skip
_FIRST_CLASS_WORDS = {
    "Lake": "lake", "Mount": "mountain", "University": "university", "Battle": "battle",
    "River": "river", "Treaty": "treaty", "House": "house", "Bank": "bank", "Church": "church",
}  # fmt: skip
_HONORIFICS = words_in(
    """Sir Dame Lord Lady Dr Mr Mrs Ms Prof Professor President King Queen Prince Princess Emperor
    Pope Saint General Captain Colonel Senator Governor Minister Chancellor Justice Judge Bishop
    Archbishop Cardinal Reverend Major Admiral Rabbi Sheikh Chief"""
)
_OFFICES = words_in("President Minister Secretary Director Senator Governor Justice CEO Chancellor")
_GIVEN_NAMES = words_in(
    """Aaron Abraham Ada Adam Adele Adrian Agnes Ahmed Alan Albert Alex Alexander Alexandra Alfred
    Ali Alice Alison Allen Amanda Amy Ana Andrea Andreas Andrew Andy Angela Anita Ann Anna
    Anne Annie Anthony Antonio Arnold Arthur Ashley Audrey Barack Barbara Ben Benjamin
    Bernard Beth Betty Bill Billie Billy Bob Bobby Brad Brandon Brenda Brian Bruce Carl
    Carla Carlos Carol Caroline Catherine Cecil Charles Charlie Charlotte Cheryl Chris
    Christian Christina Christine Christopher Clara Clark Claude Claudia Colin Craig Cynthia
    Dan Daniel Danny Dave David Dawn Dean Deborah Denis Dennis Diana Diane Dick Diego Donald
    Donna Dorothy Douglas Duncan Dustin Dwight Ed Eddie Edgar Edith Edmund Edward Edwin
    Eleanor Elena Eli Elizabeth Ella Ellen Elon Emily Emma Enrico Eric Erik Ernest Ethan Eva
    Eve Evelyn Fiona Florence Frances Francis Francisco Frank Franklin Fred Frederick
    Friedrich Gabriel Gary Gavin Gene Geoffrey Georg George Gerald Gerard Gilbert Gloria
    Gordon Grace Graham Greg Gregory Guy Hannah Hans Harold Harriet Harrison Harry Heather
    Hector Helen Henri Henry Herbert Herman Hillary Howard Hugh Hugo Ian Igor Ira Irene
    Isaac Isabel Isabella Ivan Jack Jackie Jacob Jacques Jake James Jamie Jan Jane Janet
    Jason Jawaharlal Jay Jean Jeff Jeffrey Jennifer Jenny Jeremy Jerry Jesse Jessica Jill
    Jim Jimmy Joan Joanna Joe Joel Johann Johannes John Johnny Jon Jonathan Jordan Jorge
    Jose Joseph Joshua José Joyce Juan Judith Judy Julia Julian Julie Julius June Justin
    Karen Karl Kate Katherine Kathleen Kathryn Katie Keith Kelly Ken Kenneth Kevin Kim Kirk
    Kurt Kyle Lance Larry Laura Lauren Laurence Lawrence Lee Leo Leon Leonard Leonardo
    Leslie Lewis Liam Lily Linda Lisa Liz Lloyd Lois Louis Louisa Louise Lucas Lucy Ludwig
    Luis Luke Lydia Lyndon Madeleine Mahatma Malcolm Marc Marcel Marco Marcus Margaret Maria
    Marie Marilyn Mario Marion Mark Martha Martin Marvin Mary Matt Matthew Maurice Max Megan
    Melissa Melvin Meryl Michael Michel Michelle Miguel Mike Mitchell Mohammed Molly Monica
    Morgan Muhammad Nancy Naomi Natalie Nathan Neil Nelson Nicholas Nick Nicolas Nicole
    Nigel Nikola Nina Noah Noam Nora Norman Oliver Olivia Omar Oscar Otto Owen Pablo Pamela
    Pat Patricia Patrick Paul Paula Pauline Pedro Percy Peter Phil Philip Philippe Phyllis
    Pierre Rachel Ralph Ray Raymond Rebecca Rene Rex Richard Rick Rita Rob Robert Roberto
    Robin Rod Roger Roland Roman Ron Ronald Ronnie Rosa Rose Ross Roy Rudolf Russell Ruth
    Ryan Sally Sam Samantha Samuel Sandra Sara Sarah Scott Sean Sebastian Serena Seth Sharon
    Shirley Simon Sofia Sophia Sophie Stan Stanley Stefan Stella Stephanie Stephen Steve
    Steven Stuart Sue Susan Suzanne Sylvia Taylor Ted Teresa Terry Theodore Theresa Thomas
    Tim Timothy Tina Todd Tom Tommy Tony Tracy Travis Ulysses Ursula Valerie Vera Vernon
    Veronica Victor Victoria Vincent Virginia Vivian Vladimir Walt Walter Wanda Warren Wayne
    Wendy Wilhelm Will William Winston Wolfgang Woodrow Xavier Yvonne Zachary Zoe"""
)
_COUNTRIES = """
Afghanistan|Albania|Algeria|Andorra|Angola|Argentina|Armenia|Australia|Austria|Azerbaijan|Bahrain
Bangladesh|Belarus|Belgium|Belize|Benin|Bhutan|Bolivia|Bosnia|Botswana|Brazil|Britain|Bulgaria
Burundi|Cambodia|Cameroon|Canada|Chad|Chile|China|Colombia|Congo|Croatia|Cuba|Cyprus|Denmark
Ecuador|Egypt|England|Eritrea|Estonia|Ethiopia|Fiji|Finland|France|Gabon|Gambia|Germany|Ghana
Greece|Guatemala|Guinea|Guyana|Haiti|Honduras|Hungary|Iceland|India|Indonesia|Iran|Iraq|Ireland
Israel|Italy|Jamaica|Japan|Kazakhstan|Kenya|Kosovo|Kuwait|Laos|Latvia|Lebanon|Liberia|Libya
Liechtenstein|Lithuania|Luxembourg|Madagascar|Malawi|Malaysia|Maldives|Mali|Malta|Mauritania
Mauritius|Mexico|Moldova|Monaco|Mongolia|Montenegro|Morocco|Mozambique|Myanmar|Namibia|Nepal
Netherlands|New Zealand|Nicaragua|Niger|Nigeria|North Korea|Norway|Oman|Pakistan|Palestine|Panama
Paraguay|Peru|Philippines|Poland|Portugal|Qatar|Romania|Russia|Rwanda|Samoa|Saudi Arabia|Scotland
Senegal|Serbia|Sierra Leone|Singapore|Slovakia|Slovenia|Somalia|South Africa|South Korea
Soviet Union|Spain|Sri Lanka|Sudan
Suriname|Sweden|Switzerland|Syria|Taiwan|Tanzania|Thailand|Togo|Tunisia|Turkey
Uganda|UK|U.K.|Ukraine|United Kingdom|United States|United States of America|Uruguay|US|U.S.|USA
USSR|Uzbekistan|Venezuela|Vietnam|Wales|Yemen|Zambia|Zimbabwe
"""
_PLACES = """
Africa|Alabama|Alaska|Amsterdam|Antarctica|Arizona|Arkansas|Asia|Athens|Atlanta|Bangkok|Barcelona
Bavaria|Beijing|Belfast|Berlin|Birmingham|Bombay|Boston|Bristol|Brooklyn|Brussels|Budapest
Buenos Aires|Cairo|Calcutta|California|Cambridge|Cape Town|Chicago|Colorado|Connecticut|Copenhagen
Dallas|Delaware|Delhi|Denver|Detroit|Dubai|Dublin|Edinburgh|Europe|Florence|Florida|Geneva
Glasgow|Hamburg|Hawaii|Helsinki|Hollywood|Hong Kong|Houston|Idaho|Illinois|Indiana|Iowa
Istanbul|Jerusalem|Kansas|Kentucky|Kyoto|Las Vegas|Leeds|Leicester|Leipzig|Lisbon|Liverpool|London
Los Angeles|Louisiana|Lyon|Madrid|Maine|Manchester|Manhattan|Marseille|Maryland|Massachusetts
Melbourne|Miami|Michigan|Milan|Minnesota|Mississippi|Missouri|Montana|Montreal|Moscow|Mumbai|Munich
Naples|Nebraska|Nevada|New Delhi|New England|New Hampshire|New Jersey|New Mexico|New York
New York City|North America|North Carolina|North Dakota|Ohio|Oklahoma|Ontario|Oregon|Osaka|Oslo
Oxford|Paris|Pennsylvania|Philadelphia|Phoenix|Prague|Quebec|Rhode Island|Rio de Janeiro|Rome
Rotterdam|San Diego|San Francisco|Seattle|Seoul|Shanghai|Siberia|Sicily|South America|South Carolina
South Dakota|St. Petersburg|Stockholm|Sydney|Tennessee|Texas|Tokyo|Toronto|Tuscany|Utah|Vancouver
Venice|Vermont|Vienna|Warsaw|Washington, D.C.|West Virginia|Wisconsin|Wyoming|Yorkshire|York|Zurich
"""
_COUNTRY_SET = frozenset(re.split(r"[|\n]", _COUNTRIES.strip()))
_PLACE_SET = frozenset(re.split(r"[|\n]", _PLACES.strip()))
_LANGUAGES_TOO = words_in("Latin Greek Arabic Hebrew Sanskrit Hindi Urdu Bengali Tamil")


@lru_cache(maxsize=4096)
def class_word(name: str) -> str:
    """What people call a thing with such a name; "" where the name does not say.

    >>> class_word("the University of Leeds"), class_word("Hart Records"), class_word("Ada Hart")
    ('university', 'record label', '')
    """
    parts = re.sub(r"^(?:[Tt]he|an?)\s+", "", name).rstrip(".'’").split()
    if not parts:
        return ""
    if name.removeprefix("the ").removeprefix("The ") in _COUNTRY_SET:
        return "country"
    if len(parts) < 2:
        return ""
    if parts[0] in _FIRST_CLASS_WORDS:
        return _FIRST_CLASS_WORDS[parts[0]]
    head = parts[-1]
    for number, word in enumerate(parts[1:], 1):
        if word in ("of", "for", "in", "de"):
            head = parts[number - 1]
            break
    return _CLASS_WORDS.get(head.rstrip("."), "")


@lru_cache(maxsize=4096)
def sort_of(name: str) -> Sort:
    """What kind of thing a name names, by its own words.

    >>> sort_of("Ada Lovelace"), sort_of("Leeds"), sort_of("French")
    (<Sort.PERSON: 'person'>, <Sort.PLACE: 'place'>, <Sort.PEOPLE: 'people'>)
    """
    bare = re.sub(r"^[Tt]he\s+", "", name)
    if bare in _COUNTRY_SET or bare in _PLACE_SET:
        return Sort.PLACE
    if class_word(bare):
        return Sort.THING
    parts = bare.split()
    first = parts[0].rstrip(".")
    if len(parts) > 1 and (first in _HONORIFICS or _OFFICES & set(parts[:-1])):
        return Sort.PERSON
    if first in _GIVEN_NAMES and (
        len(parts) == 1 or not any(is_common(p) and p.islower() for p in parts)
    ):
        return Sort.PERSON
    if re.search(r"\b[A-Z]\.\s+[A-Z][a-z]+$", bare):
        return Sort.PERSON  # "J. Hart", "Ada B. Hart"
    if _re.search(r"(?:ian|ese|ish|ican|ean)s?$", bare) or bare in _LANGUAGES_TOO:
        return Sort.PEOPLE
    return Sort.UNKNOWN


def may_be_person(name: str) -> bool:
    """Whether nothing in a name of two to four words speaks against a person's."""
    parts = re.sub(r"[.,]", "", name).split()
    return sort_of(name) is Sort.PERSON or (
        sort_of(name) is Sort.UNKNOWN
        and 2 <= len(parts) <= 4
        and not any(is_common(part) for part in parts)
        and not any(part.isupper() and len(part) > 2 for part in parts)
    )
