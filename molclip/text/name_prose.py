"""A systematic name retold the way a curator describes a structure.

Curators of ChEBI rarely repeat a name; they unfold it: `3-hydroxybutanoate` becomes "butanoate
substituted by a hydroxy group at position 3", `decanoyl-CoA` "results from the formal condensation
of the thiol group of coenzyme A with the carboxy group of decanoic acid". The rules here unfold
names by their spelling alone; a name that no rule knows is returned as it is.
"""

from __future__ import annotations

import random
import re

from molclip.text.grammar import joined, with_article

_GROUPS = (
    "hydroxymethyl|hydroxyphenyl|methoxyphenyl|chlorophenyl|fluorophenyl|trifluoromethyl|"
    "aminomethyl|carboxymethyl|carboxyethyl|hydroxyethyl|methylsulfanyl|sulfanyl|acetylamino|"
    "acetyloxy|benzyloxy|phosphonooxy|sulfooxy|methylamino|dimethylamino|hydroperoxy|epoxy|"
    "hydroxy|methoxy|ethoxy|methyl|ethyl|propyl|isopropyl|butyl|tert-butyl|pentyl|hexyl|phenyl|"
    "benzyl|prenyl|allyl|vinyl|acetoxy|acetamido|acetyl|amino|nitro|chloro|bromo|fluoro|iodo|oxo|"
    "carboxy|cyano|sulfo|phospho|thio|deoxy|dehydro|dihydro|formyl|benzoyl|butanoyl|propanoyl|"
    "galloyl|isopentenyl|cyclopropyl|cyclohexyl|imino|ureido|guanidino|azido|carbamoyl"
)
_MULTIPLIERS = {"di": "two", "bis": "two", "tri": "three", "tris": "three", "tetra": "four"}
_MULTIPLIERS |= {"penta": "five", "hexa": "six", "hepta": "seven", "octa": "eight"}
_LOCANT = r"(?:\d+'*[a-z]?(?:alpha|beta)?'*|[NOSC]\d*'*|alpha|beta|gamma|omega)"
_SUBSTITUENT = re.compile(
    rf"^(?P<locants>{_LOCANT}(?:,{_LOCANT})*)-"
    rf"(?P<multiplier>{'|'.join(sorted(_MULTIPLIERS, key=len, reverse=True))})?"
    rf"\(?(?P<group>{'|'.join(sorted(_GROUPS.split('|'), key=len, reverse=True))})\)?-?"
)
_CONFIGURATION = re.compile(r"^\((?P<labels>(?:\d*[a-z]?'*[RSEZ],?)+)\)-(?P<rest>.+)$")
_ACYL_COA = re.compile(r"^(?P<acyl>.+?oyl)-?(?:CoA|coenzyme A)(?P<charge>\(\d-\))?$")
_GLYCEROLIPID = re.compile(
    r"^1-(?P<first>.+?yl\)?\]?)-2-(?P<second>.+?yl\)?\]?)-(?P<rest>sn-glycer.+)$"
)
_N_ACYL = re.compile(
    r"^N-(?P<acyl>[(\[]?.{0,60}?(?:acet|o)yl[)\]]?)-?(?P<rest>(?:[LD]-)?[a-z]{4,}(?: acid)?)$"
)
_ESTER = re.compile(r"^(?P<alkyl>[^ ]{0,40}yl) (?P<acid>[^ ]+ate)$")
_POLYENE = re.compile(
    r"^(?P<labels>\((?:\d+[EZ],?)+\)-)?(?P<head>.{0,60}?)(?P<stem>[a-z]{3,12}?)(?<=[a-z])a?-"
    r"(?P<places>\d+(?:,\d+)*)-(?P<many>(?:di|tri|tetra|penta|hexa)?en)(?P<tail>oic acid|oate|oyl-CoA|al)$"
)
_GLYCOSIDE = re.compile(
    r"^(?P<aglycone>[^ ]+) (?P<place>\d+'*)-O-(?P<sugar>(?:alpha|beta)-?.{0,40}oside)$"
)
_SALT = re.compile(r"^(?P<base>.+) (?P<salt>(?:di|mono)?hydrochloride|hydrobromide|maleate)$")
_BASE = re.compile(r"^(?P<stem>.+?)(?P<ending>oate|ate)(?P<charge>\(\d?-\))?$")

_RESIDUES = {
    "alanyl": "alanine",
    "arginyl": "arginine",
    "asparaginyl": "asparagine",
    "aspartyl": "aspartic acid",
    "cysteinyl": "cysteine",
    "glutaminyl": "glutamine",
    "glutamyl": "glutamic acid",
    "histidyl": "histidine",
    "isoleucyl": "isoleucine",
    "leucyl": "leucine",
    "lysyl": "lysine",
    "methionyl": "methionine",
    "phenylalanyl": "phenylalanine",
    "prolyl": "proline",
    "seryl": "serine",
    "threonyl": "threonine",
    "tryptophyl": "tryptophan",
    "tyrosyl": "tyrosine",
    "valyl": "valine",
    "glycyl": "glycine",
}
_THREE_LETTERS = {
    "Ala": "alanine",
    "Arg": "arginine",
    "Asn": "asparagine",
    "Asp": "aspartic acid",
    "Cys": "cysteine",
    "Gln": "glutamine",
    "Glu": "glutamic acid",
    "Gly": "glycine",
    "His": "histidine",
    "Ile": "isoleucine",
    "Leu": "leucine",
    "Lys": "lysine",
    "Met": "methionine",
    "Phe": "phenylalanine",
    "Pro": "proline",
    "Ser": "serine",
    "Thr": "threonine",
    "Trp": "tryptophan",
    "Tyr": "tyrosine",
    "Val": "valine",
}
_PEPTIDE_SIZES = {2: "dipeptide", 3: "tripeptide", 4: "tetrapeptide", 5: "pentapeptide"}
_RESIDUE_NAME = re.compile(rf"(?:[LD]-)?(?:{'|'.join(_RESIDUES)})-?")


def peptide_residues(name: str) -> list[str]:
    """Amino acids of a short peptide name, in order; empty if the name is not one.

    `L-alanyl-L-serine` and `Ala-Ser` both give two; the configuration stays where it is stated.
    """
    parts = name.split("-")
    if len(parts) > 1 and all(part in _THREE_LETTERS for part in parts):
        acids = [_THREE_LETTERS[part] for part in parts]
        return [acid if acid == "glycine" else f"L-{acid}" for acid in acids]
    residues: list[str] = []
    rest = name
    while match := _RESIDUE_NAME.match(rest):
        piece = match.group().rstrip("-")
        prefix, _, residue = piece.rpartition("-")
        residues.append(f"{prefix}-{_RESIDUES[residue]}" if prefix else _RESIDUES[residue])
        rest = rest[match.end() :]
    last = rest.removeprefix("L-").removeprefix("D-")
    if residues and last in _RESIDUES.values():
        return [*residues, rest]
    return []


def substituents(name: str) -> tuple[list[tuple[list[str], str]], str]:
    """Leading substituents of a name and what is left of it.

    Returns
    -------
    groups
        `(locants, group)` pairs in the order of the name.
    parent
        The rest of the name, without a leading hyphen.
    """
    groups: list[tuple[list[str], str]] = []
    rest = name
    while match := _SUBSTITUENT.match(rest):
        locants = match["locants"].split(",")
        if match["multiplier"] and len(locants) == 1:
            break
        groups.append((locants, match["group"]))
        rest = rest[match.end() :]
    return groups, rest


def _group_phrase(locants: list[str], group: str, noun: str) -> str:
    if len(locants) == 1:
        return f"{with_article(group)} {noun} at position {locants[0]}"
    count = next((word for word in _MULTIPLIERS.values() if word == _number_word(len(locants))), "")
    lead = f"{count} " if count else ""
    return f"{lead}{group} {noun}s at positions {joined(locants)}"


def _number_word(number: int) -> str:
    words = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight")
    return words[number] if number < len(words) else str(number)


def _unfold_substituents(name: str, rng: random.Random) -> str | None:
    groups, parent = substituents(name)
    if not groups or len(parent) < 4:
        return None
    noun = rng.choice(("group", "substituent"))
    listed = joined([_group_phrase(locants, group, noun) for locants, group in groups])
    if len(groups) > 1 and all(len(locants) == 1 for locants, _ in groups) and rng.random() < 0.5:
        listed = (
            f"{joined([group for _, group in groups])} {noun}s at positions "
            f"{joined([locants[0] for locants, _ in groups])} respectively"
        )
    return rng.choice(
        (
            f"{parent} substituted by {listed}",
            f"{parent} which is substituted by {listed}",
            f"{parent} carrying {listed}",
            f"{parent} bearing {listed}",
            f"{parent} having {listed}",
            f"{parent} in which hydrogens are replaced by {listed}",
            f"{parent} with {listed}",
        )
    )


def _peptide(residues: list[str], rng: random.Random) -> str:
    kind = with_article(_PEPTIDE_SIZES.get(len(residues), "peptide"))
    first, others = residues[0], joined(residues[1:])
    condensed = f"condensation of the carboxy group of {first} with the amino group of {others}"
    return rng.choice(
        (
            f"{kind} composed of {joined(residues)} joined by peptide linkages",
            f"{kind} formed from {joined(residues)} residues",
            f"{kind} obtained by formal {condensed}",
        )
    )


def _bare(text: str) -> str:
    """Without the brackets around the whole of it."""
    return text[1:-1] if text[:1] + text[-1:] in ("()", "[]") else text


def _two_acyls(name: str, rng: random.Random) -> str | None:
    """A glycerolipid, by its two chains."""
    match = _GLYCEROLIPID.match(name)
    if not match:
        return None
    first, second, rest = _bare(match["first"]), _bare(match["second"]), match["rest"]
    kind = "acyl" if first.endswith("yl") and second.endswith("oyl") else "substituent"
    return rng.choice(
        (
            (
                f"a 1,2-diacyl-{rest} in which the {kind} groups at positions 1 and 2 are specified as "
                f"{first} and {second} respectively"
            ),
            f"a {rest} that has {first} and {second} as the 1- and 2-acyl groups respectively",
            f"a {rest} having {first} at position 1 and {second} at position 2",
        )
    )


def _acylated(name: str, rng: random.Random) -> str | None:
    """An N-acyl amino acid or an amide, as what it is condensed from."""
    match = _N_ACYL.match(name)
    if not match:
        return None
    acyl = _bare(match["acyl"])
    acid = f"{acyl[:-2]}ic acid"
    return rng.choice(
        (
            (
                f"obtained by formal condensation of the carboxy group of {acid} with the amino group "
                f"of {match['rest']}"
            ),
            (
                f"resulting from the formal condensation of the amino group of {match['rest']} with the "
                f"carboxy group of {acid}"
            ),
            (
                f"{match['rest']} in which one of the hydrogens of the amino group is replaced by "
                f"{with_article(acyl)} group"
            ),
        )
    )


def _ester(name: str, rng: random.Random) -> str | None:
    match = _ESTER.match(name)
    acid = acid_of(match["acid"]) if match else None
    if not match or not acid:
        return None
    alcohol = match["alkyl"]
    return rng.choice(
        (
            f"the {alcohol} ester of {acid}",
            f"obtained by formal condensation of {acid} with the {alcohol} alcohol",
            f"{acid} in which the carboxy hydrogen is replaced by {with_article(alcohol)} group",
        )
    )


def _unsaturated(name: str, rng: random.Random) -> str | None:
    """A chain with double bonds: how many, and where."""
    match = _POLYENE.match(name)
    if not match:
        return None
    places = match["places"].split(",")
    link = "" if match["many"] == "en" else "a"
    whole = f"{match['head']}{match['stem']}{link}{match['many']}{match['tail']}"
    noun = "double bond" if len(places) == 1 else "double bonds"
    where = f"position {places[0]}" if len(places) == 1 else f"positions {joined(places)}"
    told = rng.choice(
        (
            f"{whole} having the {noun} at {where}",
            f"{whole} with {noun} at {where}",
            f"{whole} in which the {noun} {'is' if len(places) == 1 else 'are'} at {where}",
        )
    )
    if match["labels"]:
        labels = match["labels"].strip("()-")
        told += rng.choice((f" ({labels}-configuration)", f", the {labels} geoisomer"))
    return told


def _glycoside(name: str, rng: random.Random) -> str | None:
    match = _GLYCOSIDE.match(name)
    if not match:
        return None
    sugar = f"{match['sugar'][:-3]}yl"
    aglycone, place = match["aglycone"], match["place"]
    return rng.choice(
        (
            (
                f"{aglycone} attached to {with_article(sugar)} residue at position {place} via a "
                "glycosidic linkage"
            ),
            f"{aglycone} substituted by {with_article(sugar)} residue at position {place}",
            (
                f"{aglycone} in which the hydroxy group at position {place} has been glycosylated by "
                f"{with_article(sugar)} residue"
            ),
        )
    )


def _salt(name: str, rng: random.Random) -> str | None:
    match = _SALT.match(name)
    if not match:
        return None
    salt, base = match["salt"], match["base"]
    return rng.choice(
        (f"the {salt} salt of {base}", f"the {salt} of {base}", f"{base} as its {salt} salt")
    )


_FAMILIES = (_two_acyls, _glycoside, _salt, _acylated, _ester, _unsaturated)


def unfold(name: str, rng: random.Random) -> str:
    """`name` retold in a curator's words, or `name` itself where no rule applies."""
    if rng.random() < 0.7:
        for tell in _FAMILIES:
            if told := tell(name, rng):
                return told
    residues = peptide_residues(name)
    if residues:
        return _peptide(residues, rng)
    if match := _ACYL_COA.match(name):
        acid = f"{match['acyl'][:-2]}ic acid"
        condensed = (
            "formal condensation of the thiol group of coenzyme A with the carboxy group of "
        )
        return rng.choice(
            (
                f"the result of the {condensed}{acid}",
                f"obtained from the {condensed}{acid}",
                f"an acyl-CoA having {match['acyl']} as the S-acyl group",
            )
        )
    prefix = suffix = ""
    rest = name
    if match := _CONFIGURATION.match(name):
        labels, rest = match["labels"], match["rest"]
        if rng.random() < 0.6:
            single = labels.strip(",")
            if single in {"R", "S"}:
                suffix = rng.choice(
                    (
                        f" that has {single}-configuration at the chiral centre",
                        f" having ({single})-configuration",
                        f" in which the stereocentre has {single} configuration",
                    )
                )
                if rng.random() < 0.4:
                    prefix, suffix = f"the ({single})-enantiomer of ", ""
            else:
                suffix = f" having {labels.replace(',', ', ')} configuration"
        else:
            prefix = f"({labels})-"
    unfolded = _unfold_substituents(rest, rng)
    if unfolded and rng.random() < 0.85:
        return f"{prefix}{unfolded}{suffix}"
    return f"{prefix}{rest}{suffix}"


def acid_of(base_name: str) -> str | None:
    """Name of the acid whose anion is `base_name`, where the spelling shows it."""
    match = _BASE.match(base_name)
    if not match or match["stem"].endswith(("phosph", "sulf", "nitr")):
        return None
    return f"{match['stem']}{'oic' if match['ending'] == 'oate' else 'ic'} acid"
