/**
 * Bash functions that find the folder of this host: the folder whose MAC addresses are all on the host, otherwise the
 * folder with the most MAC addresses on the host. ROOT and NET are for tests.
 * The ramdisk of CoreOS has few programs, so the scripts use builtins of bash, and cp, mkdir, chmod and sleep, which
 * every dracut ramdisk has.
 */
export const NETWORK_SCRIPT_LIBRARY = `# Sourced by pre-network-manager-config.sh.
ROOT="\${ROOT:-}"
NET="\${NET:-/sys/class/net}"
FOLDERS="\${ROOT}/etc/assisted/network"

# Names of this host's hardware ports by MAC address in upper case.
declare -A PORTS=()
read_ports() {
  local port mac
  PORTS=()
  for port in "\${NET}"/*; do
    [ -e "\${port}/device" ] && [ -e "\${port}/address" ] || continue
    mac=""
    read -r mac <"\${port}/address" || true
    # A CAN controller or a modem has no MAC address. An array has no empty key.
    [ -n "\${mac}" ] || continue
    PORTS["\${mac^^}"]="\${port##*/}"
  done
}

# Ports appear one after another: wait until the list does not change for 3 s, at most 30 s.
wait_for_ports() {
  local before="" stable=0 waited=0
  read_ports
  while [ "\${stable}" -lt "\${STABLE_SECONDS:-3}" ] && [ "\${waited}" -lt "\${MAX_WAIT_SECONDS:-30}" ]; do
    before="\${!PORTS[*]}"
    waited=$((waited + 1))
    sleep 1
    read_ports
    if [ "\${!PORTS[*]}" = "\${before}" ] && [ "\${#PORTS[@]}" -gt 0 ]; then stable=$((stable + 1)); else stable=0; fi
  done
}

# Sets FOLDER to the folder of this host; fails when there is none.
find_folder() {
  local folder mac _name known total most=0
  FOLDER=""
  for folder in "\${FOLDERS}"/host*; do
    [ -f "\${folder}/mac_interface.ini" ] || continue
    known=0
    total=0
    while IFS='=' read -r mac _name; do
      [ -n "\${mac}" ] || continue
      total=$((total + 1))
      if [ -n "\${PORTS[\${mac}]:-}" ]; then known=$((known + 1)); fi
    done <"\${folder}/mac_interface.ini"
    if [ "\${total}" -gt 0 ] && [ "\${known}" -eq "\${total}" ]; then
      FOLDER="\${folder}"
      return 0
    fi
    if [ "\${known}" -gt "\${most}" ]; then
      most="\${known}"
      FOLDER="\${folder}"
    fi
  done
  [ -n "\${FOLDER}" ]
}

# Names of this host's ports by their name in the configuration.
declare -A NAMES=()
read_names() {
  local mac name
  while IFS='=' read -r mac name; do
    [ -n "\${mac}" ] && [ -n "\${name}" ] || continue
    if [ -n "\${PORTS[\${mac}]:-}" ]; then NAMES["\${name}"]="\${PORTS[\${mac}]}"; fi
  done <"$1/mac_interface.ini"
}

# Writes keyfile $1 to folder $2. A name is replaced where it is a whole value, or follows "iif" in a routing rule.
install_keyfile() {
  local name line key value port result
  name="\${1##*/}"
  name="\${name%.nmconnection}"
  result="$2/\${NAMES[\${name}]:-\${name}}.nmconnection"
  while IFS= read -r line || [ -n "\${line}" ]; do
    key="\${line%%=*}"
    value="\${line#*=}"
    case "\${key}" in
    interface-name | id | master | parent | peer | primary)
      if [ -n "\${value}" ] && [ -n "\${NAMES[\${value}]:-}" ]; then line="\${key}=\${NAMES[\${value}]}"; fi
      ;;
    routing-rule*)
      port="\${value#* iif }"
      port="\${port%% *}"
      if [ -n "\${NAMES[\${port}]:-}" ]; then line="\${line/ iif \${port} / iif \${NAMES[\${port}]} }"; fi
      ;;
    esac
    printf '%s\\n' "\${line}"
  done <"$1" >"\${result}"
  chmod 600 "\${result}"
}
`;

/** Bash script that runs once, before the network starts (keyfiles) or after it (nmstate policies). */
export const NETWORK_SCRIPT = `#!/bin/bash
# Installs the static network configuration of this host.
set -euo pipefail
# shellcheck source=/dev/null
. "\${NETWORK_LIBRARY:-/usr/local/bin/common_network_script.sh}"

if [ -n "\${DISCOVERY_DELAY_SECONDS:-}" ]; then sleep "\${DISCOVERY_DELAY_SECONDS}"; fi
wait_for_ports

if ! find_folder; then
  echo "No static network configuration for this host: none of its MAC addresses (\${!PORTS[*]}) is in a mac_interface_map."
  exit 0
fi
echo "Static network configuration of this host: \${FOLDER}"

policies=("\${FOLDER}"/*.yml)
if [ -e "\${policies[0]}" ]; then
  mkdir -p "\${ROOT}/etc/nmstate"
  cp "\${policies[@]}" "\${ROOT}/etc/nmstate/"
  chmod 600 "\${ROOT}/etc/nmstate/"*.yml
  exit 0
fi

target="\${ROOT}\${KEYFILE_FOLDER:-/etc/NetworkManager/system-connections}"
mkdir -p "\${target}"
read_names "\${FOLDER}"
for file in "\${FOLDER}"/*.nmconnection; do
  [ -e "\${file}" ] || continue
  install_keyfile "\${file}" "\${target}"
done
`;
