import type { IgnitionUnit } from '../config/ignition-config';
import { environmentLine, escapeUnitText } from '../config/unit-text';
import { AGENT_FIX_PATH, AGENT_PULL_PATH } from './agent-files';
import type { DiscoveryInput } from './discovery-input';
import { DOWNLOAD_PATH, HOST_EXECUTABLE_PATH } from './host-executable';
import { SERVICE_CA_PATH } from './host-files';
import { proxyEnvironmentLines } from './proxy';

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
    'Description=Discovery agent: registers this machine and runs the steps it is given',
    'Wants=network-online.target',
    'After=network-online.target',
    // The agent exits on purpose when its host is bound again, so restarts are not limited.
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Type=simple',
    'Restart=always',
    `RestartSec=${RESTART_WAIT_SECONDS}`,
    ...environment,
    // A download is tried for ever; a pull as long as the setting allows.
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
  `ExecStartPre=/usr/bin/podman run --privileged --rm -v /usr/local/bin:/hostbin ${image} cp /usr/bin/agent /hostbin`,
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
