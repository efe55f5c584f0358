import type { InfraEnvSettings, Plain } from '@muster/contracts';
import { describeNetworkProblem, type HostNetworks, type StaticNetwork } from '@muster/ignition-config';
import { DOCUMENT_TASKS, type DocumentWorkers } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';

const ISO_TYPES = ['full-iso', 'minimal-iso', 'disconnected-iso'] as const;
export type IsoType = (typeof ISO_TYPES)[number];

/** Returns the requested type, else the type of the infra-env, else full-iso. @throws RefusalError for an unknown type. */
export function isoTypeOf(asked: string, settings: Plain<InfraEnvSettings>): IsoType {
  const wanted = asked || settings.imageType || 'full-iso';
  const type = ISO_TYPES.find((known) => known === wanted);
  if (type) return type;
  throw new RefusalError({
    code: 'invalid-input',
    reason: `discovery_iso_type '${wanted.slice(0, 64)}' is not supported.`,
    subject: 'discovery_iso_type',
    allowed: ISO_TYPES,
  });
}

/** A host that boots without its configured network is worse than no image. @throws RefusalError `invalid-input` */
export function refuseProblems({ problems: [problem] }: Pick<HostNetworks, 'problems'>): void {
  if (!problem) return;
  throw new RefusalError({
    code: 'invalid-input',
    reason: describeNetworkProblem(problem),
    subject: 'static_network_config',
  });
}

/**
 * Returns the static networks of the live system. Those of a minimal image are in its ramdisk.
 * @throws RefusalError `invalid-input` when they cannot be used.
 */
export async function staticNetworkOf(
  isoType: string,
  settings: Plain<InfraEnvSettings>,
  documents: DocumentWorkers,
): Promise<StaticNetwork | undefined> {
  const planned =
    isoType === 'full-iso' && settings.staticNetworkConfig
      ? await documents.run(DOCUMENT_TASKS.planStaticNetworks, settings)
      : undefined;
  if (!planned) return undefined;
  refuseProblems(planned.networks);
  return {
    form: planned.form,
    hosts: planned.networks.hosts,
    delaySeconds: settings.networkDiscoveryDelaySeconds ?? 0,
  };
}
