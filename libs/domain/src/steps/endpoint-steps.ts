import { isDay2Host, type StepArguments, type StepCluster, type StepHost } from './step-context';

const IGNITION_PORT = 22_624;
const IGNITION_TLS_PORT = 22_623;

/** Whether a day-2 host gets its ignition from where it will look for it. */
export const apiVipConnectivityCheck: StepArguments = ({ cluster, host }) => {
  const base = cluster && ignitionBase(cluster);
  if (!base) return undefined;
  const certificate = cluster.ignitionEndpoint?.caCertificate;
  return [
    JSON.stringify({
      url: `${base}/${poolOf(host)}`,
      ca_certificate: certificate || undefined,
      ignition_endpoint_token: host.ignitionAccess?.token || undefined,
      request_headers: headersOf(host),
    }),
  ];
};

/** The token goes twice, as a member and as a header: agents of some versions read only one of them. */
function headersOf({ ignitionAccess }: StepHost): readonly { readonly key: string; readonly value: string }[] {
  if (!ignitionAccess) return [];
  const { token, headers } = ignitionAccess;
  const given = Object.entries(headers).map(([key, value]) => ({ key, value }));
  return token ? [...given, { key: 'Authorization', value: `Bearer ${token}` }] : given;
}

/** An endpoint that a user named, else the machine-config server behind the API: over TLS when its CA is known. */
export function ignitionBase({
  ignitionEndpoint,
  apiVipDnsName,
}: Pick<StepCluster, 'ignitionEndpoint' | 'apiVipDnsName'>): string | undefined {
  if (ignitionEndpoint?.url) return ignitionEndpoint.url.replace(/\/+$/, '');
  if (!apiVipDnsName) return undefined;
  if (!ignitionEndpoint?.caCertificate) return `http://${apiVipDnsName}:${IGNITION_PORT}/config`;
  return `https://${apiVipDnsName.replace(/^api\./, 'api-int.')}:${IGNITION_TLS_PORT}/config`;
}

const poolOf = ({ machineConfigPoolName, effectiveRole }: StepHost): string =>
  machineConfigPoolName || (effectiveRole === 'auto-assign' ? 'worker' : effectiveRole);

/**
 * Whether a host whose disk will be encrypted reaches the servers that keep its keys. On day 2 the ignition of the installed
 * cluster says which, once the host could read it.
 */
export const tangConnectivityCheck: StepArguments = ({ cluster, host }) => {
  if (isDay2Host(host)) return host.tangServers ? [JSON.stringify({ tang_servers: host.tangServers })] : undefined;
  const encryption = cluster?.diskEncryption;
  if (!encryption || encryption.mode !== 'tang' || !encryption.tangServers) return undefined;
  const encrypted = encryption.enableOn.split(',');
  const isEncrypted = encrypted.includes('all') || encrypted.includes(`${host.effectiveRole}s`);
  return isEncrypted ? [JSON.stringify({ tang_servers: encryption.tangServers })] : undefined;
};
