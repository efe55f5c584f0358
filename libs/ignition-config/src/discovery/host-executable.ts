import type { IgnitionFile } from '../config/ignition-config';
import { MODE_EXECUTABLE, textFile } from '../config/ignition-file';
import type { ExecutableSource } from './agent-file';
import { SERVICE_CA_PATH } from './host-files';
import { shellQuote } from './proxy';

export const HOST_EXECUTABLE_PATH = '/usr/local/bin/muster-host';
export const DOWNLOAD_PATH = '/usr/local/bin/muster-host-download';

const FIRST_WAIT_SECONDS = 5;
const LAST_WAIT_SECONDS = 60;

/** Downloads the executable until its digest is the one of this image; says on the console why it does not work. */
export function downloadScript(
  executable: ExecutableSource,
  service: { readonly caPem: string; readonly skipsCertificateVerification: boolean },
): IgnitionFile {
  const digests = Object.entries(executable.sha256).map(
    ([architecture, sha256]) => `  ${architecture}) digest=${sha256} ;;`,
  );
  const trust = service.skipsCertificateVerification ? ' --insecure' : service.caPem ? ` --cacert "$bundle"` : '';
  return textFile(
    DOWNLOAD_PATH,
    MODE_EXECUTABLE,
    `#!/bin/bash
# Downloads the program that registers this machine, unless it is here already. Tries for ever: networks and services come up
# later than machines.
program=${HOST_EXECUTABLE_PATH}
architecture=$(uname -m)
case "$architecture" in
${digests.join('\n')}
  *) digest= ;;
esac
say() {
  echo "$1"
  echo "muster: $1" >/dev/console 2>/dev/null
}
if [ -z "$digest" ]; then
  say "This image has no program for the architecture $architecture. Available: ${Object.keys(executable.sha256).join(', ')}."
  exit 1
fi
url=${shellQuote(`${executable.baseUrl}/`)}$architecture
bundle=/run/muster-ca-bundle.pem
cat ${SERVICE_CA_PATH} /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/certs/ca-certificates.crt >"$bundle" 2>/dev/null
is_complete() { echo "$digest  $program" | sha256sum --check --status 2>/dev/null; }
wait=${FIRST_WAIT_SECONDS}
until is_complete; do
  mkdir -p "\${program%/*}"
  if reason=$(curl --silent --show-error --fail --location --compressed${trust} --connect-timeout 30 --speed-limit 1 --speed-time 60 --output "$program.part" "$url" 2>&1); then
    chmod 0755 "$program.part" && mv -f "$program.part" "$program"
    restorecon "$program" 2>/dev/null
    is_complete && break
    reason="the file has the digest $(sha256sum "$program" | cut -d' ' -f1) and not $digest; download a new discovery image"
  fi
  say "Downloading $url did not work: $reason. Date of this machine: $(date -u +%FT%TZ). Next try in $wait seconds."
  sleep "$wait"
  wait=$((wait * 2))
  if [ "$wait" -gt ${LAST_WAIT_SECONDS} ]; then wait=${LAST_WAIT_SECONDS}; fi
done
exit 0
`,
  );
}
