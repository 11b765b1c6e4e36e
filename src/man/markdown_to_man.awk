# A page of docs/ as a manual page: awk -f markdown_to_man.awk -v title= -v section= -v name= -v summary= -v date= -v version=
# Headings, paragraphs, lists, tables (a row is its first cell, and below it the others) and code that is indented by four
# blanks. Code in the text is bold; of a link the text is left.

# inline(text): as roff wants it.
function inline(text,    out, bold, at, c) {
    while (match(text, /\[[^][]*\]\([^()]*\)/)) {
        at = substr(text, RSTART + 1, RLENGTH - 1)
        sub(/\].*/, "", at)
        text = substr(text, 1, RSTART - 1) at substr(text, RSTART + RLENGTH)
    }
    gsub(/&lt;/, "<", text)
    gsub(/\\\|/, "|", text)
    gsub(/\*\*/, "", text)
    out = ""
    for (at = 1; at <= length(text); at++) {
        c = substr(text, at, 1)
        if (c == "`") { bold = !bold; out = out (bold ? "\\fB" : "\\fR") }
        else if (c == "\\") out = out "\\e"
        else if (c == "-") out = out "\\-"
        else if (c == "^") out = out "\\(ha"
        else if (c == "~") out = out "\\(ti"
        else if (c == "'") out = out "\\(aq"
        else out = out c
    }
    return out ~ /^\./ ? "\\&" out : out
}

# fold(text): a paragraph's line, cut at blanks.
function fold(text,    cut) {
    while (length(text) > 78) {
        for (cut = 78; cut > 0 && substr(text, cut, 1) != " "; cut--);
        if (cut == 0) break
        print substr(text, 1, cut - 1)
        text = substr(text, cut + 1)
        if (text ~ /^\./) text = "\\&" text
    }
    print text
}

# verbatim(text): code.
function verbatim(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    gsub(/'/, "\\(aq", text)
    gsub(/`/, "\\(ga", text)
    return text ~ /^\./ ? "\\&" text : text
}

# leave(kind): ends a block of code.
function leave_code() {
    if (in_code) print ".RE\n.fi"
    in_code = 0
}

# row(line): cells 1 to n of a table's row.
function row(line,    cells, i) {
    gsub(/\\\|/, "\001", line)
    sub(/^\| */, "", line)
    sub(/ *\| *$/, "", line)
    cells = split(line, cell, / *\| */)
    for (i = 1; i <= cells; i++) gsub(/\001/, "|", cell[i])
    return cells
}

BEGIN {
    print ".\\\" Made from a page of docs/."
    print ".TH " title " " section " " date " \"dpsvm " version "\" \"dpsvm manual\""
    print ".SH NAME\n" name " \\- " inline(summary)
    print ".SH DESCRIPTION"
    fresh = 1 # nothing since a heading
}
/^# / { next }
/^##+ / {
    leave_code()
    text = $0
    sub(/^##+ */, "", text)
    print ($0 ~ /^## / ? ".SH \"" : ".SS \"") ($0 ~ /^## / ? toupper(inline(text)) : inline(text)) "\""
    fresh = 1
    gap = 0
    next
}
/^    / {
    if (!in_code) print (fresh ? "" : ".PP\n") ".nf\n.RS"
    else if (gap) print ""
    in_code = 1
    gap = fresh = 0
    print verbatim(substr($0, 5))
    next
}
/^ *$/ { gap = 1; in_table = 0; next }
{ leave_code() }
/^\| *---/ { next }
/^\|/ {
    cells = row($0)
    if (!in_table) { in_table = 1; gap = 0; next } # the head
    print ".TP\n" inline(cell[1])
    text = inline(cell[2])
    for (i = 3; i <= cells; i++) text = text (text == "" || cell[i] == "" ? "" : "; ") inline(cell[i])
    fold(text == "" ? "\\&" : text)
    fresh = gap = 0
    after_list = 1
    next
}
/^[-*] / {
    print ".IP \\(bu 2"
    fold(inline(substr($0, 3)))
    fresh = gap = 0
    after_list = 1
    next
}
{
    if ((gap || after_list) && !fresh && $0 !~ /^  /) print ".PP"
    if ($0 !~ /^  /) after_list = 0
    fresh = gap = 0
    text = $0
    sub(/^ +/, "", text)
    fold(inline(text))
}
END { leave_code(); print ".SH \"SEE ALSO\"\n.BR dpsvm (1),\n.BR dpsvm.ini (5)" }
