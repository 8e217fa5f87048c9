# Counts what an import of a package index has to give: versions of packages, and links from each
# of them to the packages it depends on. Written without a look at the importer, in another
# language, so that the demonstration has something to compare with.
#
#   awk -f count-index.awk INDEX INDEX    (the same file twice: names first, then links)
#
# Prints: packages links

BEGIN { RS = ""; FS = "\n" }

{ name = version = architecture = needs = ""
  for (i = 1; i <= NF; i++) {
    if ($i ~ /^Package: /) name = substr($i, 10)
    else if ($i ~ /^Version: /) version = substr($i, 10)
    else if ($i ~ /^Architecture: /) architecture = substr($i, 15)
    else if ($i ~ /^(Pre-)?Depends: /) needs = needs "," substr($i, index($i, ":") + 1)
  }
}

FNR == NR { known[name] = 1; next }

!((name, version, architecture) in seen) {
  seen[name, version, architecture] = 1
  packages++
  count = split(needs, terms, /[,|]/)
  split("", linked)
  for (i = 1; i <= count; i++) {
    term = terms[i]
    sub(/^ +/, "", term)
    sub(/[ :(].*$/, "", term)
    if (term != "" && term in known && !(term in linked)) {
      linked[term] = 1
      links++
    }
  }
}

END { print packages + 0, links + 0 }
