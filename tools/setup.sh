# What tools/demo and tools/test have in common; to be sourced.

say() { printf '%s: %s\n' "$(basename "$0")" "$*"; }

# Runs a command as root, through sudo if there is need and there is sudo.
as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    say "this needs root: $*" >&2
    return 1
  fi
}

need_swift() {
  if ! command -v swift >/dev/null; then
    say "Swift 6.3 is needed (https://www.swift.org/install/linux/debian/12/)" >&2
    exit 1
  fi
}

lists_updated=
update_lists() {
  if [[ -z $lists_updated ]]; then
    say "updating the package lists"
    as_root apt-get update -qq
    lists_updated=yes
  fi
}

# Installs the Debian packages that are missing.
need_packages() {
  local missing=() package
  for package in "$@"; do
    if ! dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q ' installed$'; then
      missing+=("$package")
    fi
  done
  ((${#missing[@]} > 0)) || return 0
  # The lists may be there already, and then this is quicker and works without a network.
  say "installing ${missing[*]}"
  if ! install_packages "${missing[@]}" 2>/dev/null; then
    update_lists
    install_packages "${missing[@]}"
  fi
}

install_packages() {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qq --yes --no-install-recommends "$@" >/dev/null
}

# Debian's own package index, which apt keeps once its lists have been updated.
need_package_lists() {
  if (($(apt-cache pkgnames | wc -l) < 10000)); then update_lists; fi
}

# Builds a package in release mode; quiet unless it fails.
build_release() {
  local log
  log=$(mktemp)
  if ! swift build -c release --package-path "$1" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}
