import type { InfraEnvSettings, Plain } from '@muster/contracts';
import { planStaticNetworks } from '@muster/domain';
import { describeNetworkProblem, type StaticNetwork } from '@muster/ignition-config';
import { RefusalError } from '@muster/problems';

const ISO_TYPES = ['full-iso', 'minimal-iso', 'disconnected-iso'] as const;
export type IsoType = (typeof ISO_TYPES)[number];

/** The asked one, else the infra-env's own, else full-iso. Throws RefusalError when there is none of that name. */
export function isoTypeOf(asked: string, settings: Plain<InfraEnvSettings>): IsoType {
  const wanted = asked || settings.imageType || 'full-iso';
  const type = ISO_TYPES.find((known) => known === wanted);
  if (type) return type;
  throw new RefusalError({
    code: 'invalid-input',
    reason: `There is no image type ${wanted.slice(0, 64)}.`,
    subject: 'discovery_iso_type',
    allowed: ISO_TYPES,
  });
}

/** Static networks of the live system; those of a minimal image come in its ramdisk. Throws RefusalError when they cannot be used. */
export function staticNetworkOf(isoType: string, settings: Plain<InfraEnvSettings>): StaticNetwork | undefined {
  const planned = isoType === 'full-iso' ? planStaticNetworks(settings) : undefined;
  if (!planned) return undefined;
  const [problem] = planned.networks.problems;
  // A host that boots without the network it was promised is worse than no image.
  if (problem)
    throw new RefusalError({
      code: 'invalid-input',
      reason: describeNetworkProblem(problem),
      subject: 'static_network_config',
    });
  return {
    form: planned.form,
    hosts: planned.networks.hosts,
    delaySeconds: settings.networkDiscoveryDelaySeconds ?? 0,
  };
}
