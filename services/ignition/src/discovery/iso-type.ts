import type { InfraEnvSettings, Plain } from '@muster/contracts';
import { type Refusal, RefusalError } from '@muster/problems';

const ISO_TYPES = ['full-iso', 'minimal-iso'] as const;
export type IsoType = (typeof ISO_TYPES)[number];

/** The asked one, else the infra-env's own, else full-iso. Throws RefusalError for one that is not built or none. */
export function isoTypeOf(asked: string, settings: Plain<InfraEnvSettings>): IsoType {
  const wanted = asked || settings.imageType || 'full-iso';
  const type = ISO_TYPES.find((known) => known === wanted);
  if (type) return type;
  const isKnown = wanted === 'disconnected-iso';
  throw new RefusalError({
    code: isKnown ? 'not-supported' : 'invalid-input',
    reason: isKnown
      ? 'Images of type disconnected-iso are not built yet.'
      : `There is no image type ${wanted.slice(0, 64)}.`,
    subject: 'discovery_iso_type',
    allowed: ISO_TYPES,
  });
}

/** A host that boots without the network it was promised is worse than no image. */
export function staticNetworkRefusal(isoType: string, settings: Plain<InfraEnvSettings>): Refusal | undefined {
  const config = settings.staticNetworkConfig?.trim() ?? '';
  if (isoType !== 'full-iso' || config === '' || config === '[]') return undefined;
  return {
    code: 'not-supported',
    reason: 'Static networks are not built yet: remove static_network_config and let the hosts use DHCP.',
    subject: 'static_network_config',
  };
}
