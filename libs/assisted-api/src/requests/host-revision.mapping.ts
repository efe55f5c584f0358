import type { HostSettings, Plain } from '@muster/contracts';
import type { Refusal } from '@muster/problems';
import { withoutAbsent } from './cluster-settings.mapping';
import type { FencingCredentialsRequest, HttpHeaderRequest, ReviseHostBody } from './host.request';

export interface HostRevision {
  readonly hostName?: string;
  readonly hostRole?: string;
  readonly installationDiskId?: string;
  readonly settings: Plain<HostSettings>;
  /** Secrets, to be sealed where they arrive; empty takes back what was given. */
  readonly ignitionEndpointToken?: string;
  /** JSON object of header to value. */
  readonly ignitionEndpointHttpHeaders?: string;
  /** JSON object as the contract writes it. */
  readonly fencingCredentials?: string;
}

/**
 * The settings of the request in the form of the bus. `skippedDisks` is the host's present comma-separated
 * `skip_formatting_disks`, which the contract changes member by member.
 */
export function toHostRevision(
  body: ReviseHostBody,
  skippedDisks: string,
): HostRevision | { readonly refusal: Refusal } {
  const chosen = (body.disks_selected_config ?? []).filter(({ role }) => role === 'install');
  if (body.disks_selected_config && chosen.length !== 1) {
    return {
      refusal: {
        code: 'conflicts-with-other',
        reason: `disks_selected_config names ${chosen.length} disks with the role install; name exactly one`,
        subject: 'disks_selected_config',
      },
    };
  }
  return withoutAbsent({
    hostName: body.host_name,
    hostRole: body.host_role,
    installationDiskId: chosen[0]?.id,
    ignitionEndpointToken: body.ignition_endpoint_token,
    ignitionEndpointHttpHeaders: body.ignition_endpoint_http_headers && toHeaders(body.ignition_endpoint_http_headers),
    fencingCredentials: body.fencing_credentials && toCredentials(body.fencing_credentials),
    settings: withoutAbsent({
      machineConfigPoolName: body.machine_config_pool_name,
      nodeLabels:
        body.node_labels && JSON.stringify(Object.fromEntries(body.node_labels.map(({ key, value }) => [key, value]))),
      skipFormattingDisks: body.disks_skip_formatting && toSkippedDisks(body.disks_skip_formatting, skippedDisks),
    }),
  });
}

/** No headers: empty, which takes back those given before. */
function toHeaders(headers: readonly HttpHeaderRequest[]): string {
  return headers.length === 0 ? '' : JSON.stringify(Object.fromEntries(headers.map(({ key, value }) => [key, value])));
}

const toCredentials = ({ certificate_verification: verification = 'Enabled', ...given }: FencingCredentialsRequest) =>
  JSON.stringify({ ...given, certificate_verification: verification });

function toSkippedDisks(
  changes: readonly { readonly disk_id: string; readonly skip_formatting: boolean }[],
  present: string,
): string {
  const skipped = new Set(present.split(',').filter((id) => id !== ''));
  for (const change of changes) {
    if (change.skip_formatting) skipped.add(change.disk_id);
    else skipped.delete(change.disk_id);
  }
  return [...skipped].join(',');
}
