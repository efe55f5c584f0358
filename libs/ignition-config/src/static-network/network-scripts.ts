/**
 * Bash. Functions that find out which folder is this machine's. ROOT and NET are for trying it in a scratch folder.
 * A folder is this machine's when every MAC address in its table is on the machine; when there is none, the one of which most are.
 */
export const NETWORK_SCRIPT_LIBRARY = `# Sourced by pre-network-manager-config.sh.
ROOT="\${ROOT:-}"
NET="\${NET:-/sys/class/net}"
FOLDERS="\${ROOT}/etc/assisted/network"

# Lines "MAC name", MAC in upper case, of the ports that this machine has as hardware.
machine_macs() {
  local port
  for port in "\${NET}"/*; do
    [ -e "\${port}/device" ] && [ -e "\${port}/address" ] || continue
    printf '%s %s\\n' "$(tr '[:lower:]' '[:upper:]' <"\${port}/address")" "\${port##*/}"
  done
}

# Ports turn up one after the other: wait until nothing new came for 3 s, 30 s at most.
wait_for_ports() {
  local before="" now stable=0 waited=0
  while [ "\${stable}" -lt "\${STABLE_SECONDS:-3}" ] && [ "\${waited}" -lt "\${MAX_WAIT_SECONDS:-30}" ]; do
    now="$(machine_macs | sort)"
    if [ "\${now}" = "\${before}" ] && [ -n "\${now}" ]; then stable=$((stable + 1)); else stable=0; fi
    before="\${now}"
    waited=$((waited + 1))
    sleep 1
  done
}

# Name that this machine gives to the port with MAC $1; fails when it has none.
port_of_mac() {
  machine_macs | awk -v mac="$1" '$1 == mac { print $2; found = 1; exit } END { exit !found }'
}

# Prints this machine's folder; fails when there is none.
find_folder() {
  local folder mac _name known total best="" most=0
  for folder in "\${FOLDERS}"/host*; do
    [ -f "\${folder}/mac_interface.ini" ] || continue
    known=0
    total=0
    while IFS='=' read -r mac _name; do
      [ -n "\${mac}" ] || continue
      total=$((total + 1))
      if port_of_mac "\${mac}" >/dev/null; then known=$((known + 1)); fi
    done <"\${folder}/mac_interface.ini"
    if [ "\${total}" -gt 0 ] && [ "\${known}" -eq "\${total}" ]; then
      echo "\${folder}"
      return 0
    fi
    if [ "\${known}" -gt "\${most}" ]; then
      most="\${known}"
      best="\${folder}"
    fi
  done
  [ -n "\${best}" ] && echo "\${best}"
}

# Writes keyfile $1 to folder $2 with the names of this machine (pairs "logical real" in file $3).
# A name is replaced where it stands alone as a value or as the base of a VLAN's name, never within another word.
install_keyfile() {
  local file="$1" target="$2" names="$3" name
  name="$(basename "\${file}" .nmconnection)"
  awk -v own="\${name}" 'NR == FNR { real[$1] = $2; next } END { print (own in real) ? real[own] : own }' "\${names}" /dev/null >"\${names}.own"
  awk -F= 'NR == FNR { split($0, pair, " "); real[pair[1]] = pair[2]; next }
    /^(interface-name|id|master|parent|primary)=/ && ($2 in real) { print $1 "=" real[$2]; next }
    { print }' "\${names}" "\${file}" >"\${target}/$(cat "\${names}.own").nmconnection"
  chmod 600 "\${target}/$(cat "\${names}.own").nmconnection"
}
`;

/** Bash. Runs once before (keyfiles) or after (nmstate policies) the network comes up. */
export const NETWORK_SCRIPT = `#!/usr/bin/env bash
# Gives this machine the static network that was described for it.
set -euo pipefail
# shellcheck source=/dev/null
. "\${NETWORK_LIBRARY:-/usr/local/bin/common_network_script.sh}"

if [ -n "\${DISCOVERY_DELAY_SECONDS:-}" ]; then sleep "\${DISCOVERY_DELAY_SECONDS}"; fi
wait_for_ports

if ! folder="$(find_folder)"; then
  echo "No static network is described for this machine: none of its MAC addresses is known."
  exit 0
fi
echo "Static network of this machine: \${folder}"

target="\${ROOT}\${KEYFILE_FOLDER:-/etc/NetworkManager/system-connections}"
mkdir -p "\${target}"

policies=("\${folder}"/*.yml)
if [ -e "\${policies[0]}" ]; then
  mkdir -p "\${ROOT}/etc/nmstate"
  cp "\${policies[@]}" "\${ROOT}/etc/nmstate/"
  chmod 600 "\${ROOT}/etc/nmstate/"*.yml
  # A ramdisk has no service that applies policies; what comes of them goes to where the next system looks.
  if [ -n "\${KEYFILE_FOLDER:-}" ] && command -v nmstatectl >/dev/null; then
    nmstatectl service
    cp -a "\${ROOT}/etc/NetworkManager/system-connections/." "\${target}/"
  fi
  exit 0
fi

names="$(mktemp)"
trap 'rm -f "\${names}" "\${names}.own"' EXIT
while IFS='=' read -r mac name; do
  [ -n "\${mac}" ] || continue
  if real="$(port_of_mac "\${mac}")"; then echo "\${name} \${real}" >>"\${names}"; fi
done <"\${folder}/mac_interface.ini"

for file in "\${folder}"/*.nmconnection; do
  [ -e "\${file}" ] || continue
  install_keyfile "\${file}" "\${target}" "\${names}"
done
`;
