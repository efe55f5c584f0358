import type { HostSettings, Plain } from '@muster/contracts';
import type { Refusal } from '@muster/problems';
import { withoutAbsent } from './cluster-settings.mapping';
import type { ReviseHostBody } from './host.request';

export interface HostRevision {
  readonly hostName?: string;
  readonly hostRole?: string;
  readonly installationDiskId?: string;
  readonly settings: Plain<HostSettings>;
}

/**
 * What the request says about the host, in the words of the bus. `skippedDisks` is the host's present comma-separated
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
    settings: withoutAbsent({
      machineConfigPoolName: body.machine_config_pool_name,
      nodeLabels:
        body.node_labels && JSON.stringify(Object.fromEntries(body.node_labels.map(({ key, value }) => [key, value]))),
      skipFormattingDisks: body.disks_skip_formatting && toSkippedDisks(body.disks_skip_formatting, skippedDisks),
    }),
  });
}

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
