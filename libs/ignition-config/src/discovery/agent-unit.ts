import { environmentLine, escapeUnitText, type IgnitionFile, type IgnitionUnit } from '../config/ignition-config';
import { MODE_EXECUTABLE, MODE_PRIVATE, textFile } from '../config/ignition-file';
import {
  AGENT_SETTINGS_PATH,
  type DiscoveryInput,
  type ExecutableSource,
  proxyEnvironmentLines,
  shellQuote,
  toAgentFileText,
} from './discovery-input';
import { SERVICE_CA_PATH } from './host-files';

export const HOST_EXECUTABLE_PATH = '/usr/local/bin/muster-host';
/** The live system finds `<architecture>.gz` here when the image contains the executable. */
export const STORED_EXECUTABLES = '/run/muster-host';
/** Path of the digest of an upgraded program. It replaces the digest of the image. */
export const upgradedDigestPath = (program: string): string => `${program}.sha256`;
export const DOWNLOAD_PATH = '/usr/local/bin/muster-host-download';

const COPY_UNIT = 'muster-host-from-ramdisk.service';
const UNITS = '/etc/systemd/system';
const READABLE = 0o644;
const SYMBOLIC_LINK = 0o120_777;

/** Path of the compressed executable in a ramdisk, without the leading slash. */
export const ramdiskExecutablePath = (architecture: string): string => `muster-host/${architecture}.gz`;

/** Returns the files of a ramdisk that copy its executable to /run, which the live system keeps. */
export function ramdiskExecutableFiles(architecture: string) {
  const from = `/${ramdiskExecutablePath(architecture)}`;
  const contents = [
    '[Unit]',
    'Description=Keep the host executable of this image',
    'DefaultDependencies=no',
    `ConditionPathExists=${from}`,
    'Before=initrd.target initrd-switch-root.service',
    '',
    '[Service]',
    'Type=oneshot',
    'RemainAfterExit=yes',
    `ExecStart=/bin/bash -c 'mkdir -p ${STORED_EXECUTABLES} && mv ${from} ${STORED_EXECUTABLES}/'`,
    '',
    '[Install]',
    'WantedBy=initrd.target',
    '',
  ];
  const unit = `${UNITS}/${COPY_UNIT}`;
  return [
    { path: unit, mode: READABLE, content: contents.join('\n') },
    { path: `${UNITS}/initrd.target.wants/${COPY_UNIT}`, mode: SYMBOLIC_LINK, content: unit },
  ];
}

const FIRST_WAIT_SECONDS = 5;
const LAST_WAIT_SECONDS = 60;

/**
 * Downloads the executable until its digest is that of this image, or that of the last upgrade. Prints the reason of each failure on the console.
 */
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
# Copies the program that registers this machine from the image, or downloads it, unless it exists. Retries without limit,
# because networks and services may start later than machines.
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
if [ -s "${upgradedDigestPath('$program')}" ]; then digest=$(cat "${upgradedDigestPath('$program')}"); fi
url=${shellQuote(`${executable.baseUrl}/`)}$architecture?sha256=$digest
bundle=/run/muster-ca-bundle.pem
cat ${SERVICE_CA_PATH} /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/certs/ca-certificates.crt >"$bundle" 2>/dev/null
is_complete() { echo "$digest  $program" | sha256sum --check --status 2>/dev/null; }
stored=${STORED_EXECUTABLES}/$architecture.gz
if [ -f "$stored" ] && ! is_complete; then
  mkdir -p "\${program%/*}"
  gzip -dc "$stored" >"$program.part" && chmod 0755 "$program.part" && mv -f "$program.part" "$program"
  restorecon "$program" 2>/dev/null
  is_complete || say "The program in this image is damaged. It is downloaded instead."
fi
wait=${FIRST_WAIT_SECONDS}
until is_complete; do
  mkdir -p "\${program%/*}"
  if reason=$(curl --silent --show-error --fail --location --compressed${trust} --connect-timeout 30 --speed-limit 1 --speed-time 60 --output "$program.part" "$url" 2>&1); then
    chmod 0755 "$program.part" && mv -f "$program.part" "$program"
    restorecon "$program" 2>/dev/null
    is_complete && break
    reason="the file has the digest $(sha256sum "$program" | cut -d' ' -f1) and not $digest; download a new discovery image"
  else
    case "$reason" in
      *"error: 404"*) reason="the service no longer has this program; download a new discovery image" ;;
    esac
  fi
  say "The download of $url failed: $reason. Date of this machine: $(date -u +%FT%TZ). Next try in $wait seconds."
  sleep "$wait"
  wait=$((wait * 2))
  if [ "$wait" -gt ${LAST_WAIT_SECONDS} ]; then wait=${LAST_WAIT_SECONDS}; fi
done
exit 0
`,
  );
}

export const AGENT_FIX_PATH = '/usr/local/bin/agent-fix-bz1964591';
export const AGENT_PULL_PATH = '/usr/local/bin/agent-pull-image';

const FIRST_PULL_WAIT_SECONDS = 5;
const LAST_PULL_WAIT_SECONDS = 300;

const FIX_SCRIPT = `#!/bin/sh
# Usage: agent-fix-bz1964591 IMAGE
# A machine that lost power while it wrote its container storage can keep an image that is listed and cannot be used.
# This script removes such an image, so that the next step downloads it again.
if podman image exists "$1" && ! podman image inspect "$1" >/dev/null 2>&1; then
  echo "The stored copy of $1 is damaged and is removed."
  podman image rm --force "$1"
fi
exit 0
`;

const PULL_SCRIPT = `#!/bin/sh
# Usage: agent-pull-image IMAGE
# Downloads the image unless it exists. Retries without limit, because networks and registries may start later than machines.
wait=${FIRST_PULL_WAIT_SECONDS}
until podman image exists "$1" || podman pull --quiet "$1"; do
  echo "The download of $1 failed. Next try in $wait seconds."
  sleep "$wait"
  wait=$((wait * 2))
  if [ "$wait" -gt ${LAST_PULL_WAIT_SECONDS} ]; then wait=${LAST_PULL_WAIT_SECONDS}; fi
done
`;

export function agentFiles({ agent, nats, service }: DiscoveryInput): readonly IgnitionFile[] {
  const { executable } = agent;
  const programs = executable
    ? [downloadScript(executable, service)]
    : [textFile(AGENT_FIX_PATH, MODE_EXECUTABLE, FIX_SCRIPT), textFile(AGENT_PULL_PATH, MODE_EXECUTABLE, PULL_SCRIPT)];
  if (!nats && !executable) return programs;
  return [...programs, textFile(AGENT_SETTINGS_PATH, MODE_PRIVATE, toAgentFileText({ nats, executable }))];
}

const AGENT_PATH = '/usr/local/bin/agent';
const RESTART_WAIT_SECONDS = 3;

/** Downloads the agent, or takes it out of its container image, and keeps it running. */
export function agentUnit(input: DiscoveryInput): IgnitionUnit {
  const { service, agent } = input;
  const environment = [
    ...proxyEnvironmentLines(input.proxy),
    ...(service.token ? [environmentLine('PULL_SECRET_TOKEN', service.token)] : []),
  ];
  const flags = agentFlags(input).join(' ');
  const lines = [
    '[Unit]',
    'Description=Discovery agent: registers this machine and runs the steps that it receives',
    'Wants=network-online.target',
    'After=network-online.target',
    // The agent exits when its host is bound again, so restarts are not limited.
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Type=simple',
    'Restart=always',
    `RestartSec=${RESTART_WAIT_SECONDS}`,
    ...environment,
    // A download is retried without limit, a pull until the time limit of the setting.
    `TimeoutStartSec=${agent.executable ? 'infinity' : agent.startTimeoutSeconds}`,
    ...(agent.executable ? downloadedProgram(flags) : containedProgram(execArgument(agent.image), flags)),
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ];
  return { name: 'agent.service', enabled: true, contents: lines.join('\n') };
}

const downloadedProgram = (flags: string): readonly string[] => [
  `ExecStartPre=${DOWNLOAD_PATH}`,
  `ExecStart=${HOST_EXECUTABLE_PATH} agent ${flags}`,
];

const containedProgram = (image: string, flags: string): readonly string[] => [
  `ExecStartPre=${AGENT_FIX_PATH} ${image}`,
  `ExecStartPre=${AGENT_PULL_PATH} ${image}`,
  `ExecStartPre=/usr/bin/podman run --pull=never --privileged --rm -v /usr/local/bin:/hostbin ${image} cp /usr/bin/agent /hostbin`,
  `ExecStart=${AGENT_PATH} ${flags}`,
];

function agentFlags({ infraEnvId, service, agent }: DiscoveryInput): readonly string[] {
  return [
    `--url ${execArgument(service.url)}`,
    `--infra-env-id ${execArgument(infraEnvId)}`,
    `--agent-version ${execArgument(agent.image)}`,
    `--insecure=${service.skipsCertificateVerification}`,
    ...(service.caPem ? [`--cacert ${SERVICE_CA_PATH}`] : []),
  ];
}

/** An argument of an Exec line: specifiers and variables are taken literally. */
function execArgument(text: string): string {
  return escapeUnitText(text).replaceAll('$', '$$$$');
}
