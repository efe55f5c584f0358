import { holds } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import {
  flag,
  isTrue,
  listOf,
  mapping,
  members,
  oneOf,
  openMapping,
  text,
  toInteger,
  uint32,
} from '../documents/values';
import type { KeyfileSection, KeyfileSettings } from './ip-sections';
import type { NetworkInterface } from './nmstate';
import { textOf, texts, within } from './read-nmstate';

type Raw = { readonly [key: string]: unknown };

/** Sections for settings that an interface of any type may have: authentication and hardware options. */
export const extraSections = ({ raw }: NetworkInterface): readonly KeyfileSection[] => [
  ...section('802-1x', authentication(within(raw, '802.1x'))),
  ...section('ethtool', ethtool(within(raw, 'ethtool'))),
];

const section = (name: string, settings: KeyfileSettings): readonly KeyfileSection[] =>
  Object.values(settings).some((value) => value !== undefined) ? [{ name, settings }] : [];

/** The only flag that may be neither a number nor a text such as yes. */
const featureFlag = holds(
  (value) => value === true || value === false || /^(?:true|false|0|1)$/i.test(typeof value === 'string' ? value : ''),
  'true or false',
);
const FRAME_LIMITS = [
  'frames',
  'frames-high',
  'frames-irq',
  'frames-low',
  'usecs',
  'usecs-high',
  'usecs-irq',
  'usecs-low',
];

/** The bits of NetworkManager. */
const FEC_AUTO = 0x02;
const FEC_MODES: ReadonlyMap<string, number> = new Map([
  ['off', 0x04],
  ['rs', 0x08],
  ['baser', 0x10],
  ['llrs', 0x20],
]);

function fecModeOf({ auto, mode }: Raw): number | undefined {
  if (auto !== undefined && isTrue(auto)) return FEC_AUTO;
  return FEC_MODES.get(mode === undefined && auto !== undefined ? 'off' : textOf(mode));
}

/** The form of `ethtool`. */
export const ETHTOOL = mapping({
  pause: mapping(members(flag, ['rx', 'tx', 'autoneg'])),
  feature: Type.Record(Type.String(), featureFlag),
  coalesce: mapping({
    ...members(flag, ['adaptive-rx', 'adaptive-tx']),
    ...members(uint32, ['pkt-rate-high', 'pkt-rate-low', 'sample-interval', 'stats-block-usecs']),
    ...members(
      uint32,
      FRAME_LIMITS.flatMap((name) => [`rx-${name}`, `tx-${name}`]),
    ),
  }),
  ring: mapping(
    members(uint32, ['rx', 'rx-max', 'rx-jumbo', 'rx-jumbo-max', 'rx-mini', 'rx-mini-max', 'tx', 'tx-max']),
  ),
  fec: mapping({ auto: flag, mode: oneOf([...FEC_MODES.keys()]) }),
});

const AUTHENTICATION_TEXTS = [
  'ca-cert',
  'client-cert',
  'identity',
  'password',
  'phase2-auth',
  'private-key',
  'private-key-password',
] as const;

/** The form of `802.1x`. nmstate ignores other members. */
export const AUTHENTICATION = openMapping({ ...members(text, AUTHENTICATION_TEXTS), 'eap-methods': listOf(text) });

const authentication = (raw: Raw): KeyfileSettings => ({
  ...Object.fromEntries(AUTHENTICATION_TEXTS.map((key) => [key, textOf(raw[key]) || undefined])),
  eap:
    raw['eap-methods'] === undefined
      ? undefined
      : texts(raw['eap-methods'])
          .map((method) => `${method};`)
          .join(''),
});

/** Features with different names in NetworkManager and the kernel. */
const FEATURES: ReadonlyMap<string, string> = new Map([
  ['rx-checksum', 'rx'],
  ['tx-scatter-gather', 'sg'],
  ['tx-tcp-segmentation', 'tso'],
  ['rx-gro', 'gro'],
  ['tx-generic-segmentation', 'gso'],
  ['rx-hashing', 'rxhash'],
  ['rx-lro', 'lro'],
  ['rx-ntuple-filter', 'ntuple'],
  ['rx-vlan-hw-parse', 'rxvlan'],
  ['tx-vlan-hw-insert', 'txvlan'],
]);

function ethtool(raw: Raw): KeyfileSettings {
  const pause = within(raw, 'pause');
  const isManual = pause['autoneg'] !== undefined && !isTrue(pause['autoneg']);
  const flag = (value: unknown) => (value === undefined ? undefined : isTrue(value));
  const numbers = (group: string): readonly (readonly [string, number | undefined])[] =>
    Object.entries(within(raw, group))
      // The limits of a ring are properties of the hardware.
      .filter(([key]) => !key.startsWith('adaptive-') && !key.endsWith('-max'))
      .map(([key, value]) => [`${group}-${key}`, toInteger(value)]);
  const coalesce = within(raw, 'coalesce');
  const adaptive = (['adaptive-rx', 'adaptive-tx'] as const).map((key) => {
    const value = flag(coalesce[key]);
    return [`coalesce-${key}`, value === undefined ? undefined : Number(value)] as const;
  });
  const features = Object.entries(within(raw, 'feature')).map(
    ([name, value]) => [`feature-${FEATURES.get(name) ?? name}`, isTrue(value)] as const,
  );
  return {
    ...Object.fromEntries([...adaptive, ...numbers('coalesce'), ...features, ...numbers('ring')]),
    'fec-mode': fecModeOf(within(raw, 'fec')),
    'pause-autoneg': flag(pause['autoneg']),
    'pause-rx': isManual ? flag(pause['rx']) : undefined,
    'pause-tx': isManual ? flag(pause['tx']) : undefined,
  };
}

const MPTCP_DISABLED = 0x01;
/** Without this flag, NetworkManager sets flags only on the interface of the default route. */
const MPTCP_WITHOUT_DEFAULT_ROUTE = 0x08;
const MPTCP_FLAGS: ReadonlyMap<string, number> = new Map([
  ['signal', 0x10],
  ['subflow', 0x20],
  ['backup', 0x40],
  ['fullmesh', 0x80],
]);

/** The kernel refuses an address with both flags. */
const exclusiveFlags = holds(
  (flags) => !['signal', 'fullmesh'].every((name) => texts(flags).includes(name)),
  'a list with only one of signal and fullmesh',
);

/** The form of `mptcp`. */
export const MPTCP = mapping({
  'address-flags': Type.Intersect([listOf(oneOf([...MPTCP_FLAGS.keys()])), exclusiveFlags]),
});

/** Returns `mptcp-flags` of the connection. Undefined when the document does not set them. */
export function mptcpFlags({ raw }: NetworkInterface): number | undefined {
  const flags = within(raw, 'mptcp')['address-flags'];
  if (!Array.isArray(flags)) return undefined;
  if (flags.length === 0) return MPTCP_DISABLED;
  return texts(flags).reduce((sum, name) => sum | (MPTCP_FLAGS.get(name) ?? 0), MPTCP_WITHOUT_DEFAULT_ROUTE);
}

const MACSEC_VALIDATION = ['disabled', 'check', 'strict'];
const MACSEC_OFFLOAD = ['off', 'phy', 'mac'];

export function macsecSettings(macsec: Raw): KeyfileSettings {
  const port = toInteger(macsec['port']);
  const validation = MACSEC_VALIDATION.indexOf(textOf(macsec['validation']));
  const offload = MACSEC_OFFLOAD.indexOf(textOf(macsec['offload']));
  return {
    encrypt: isTrue(macsec['encrypt']),
    'mka-cak': textOf(macsec['mka-cak']) || undefined,
    'mka-ckn': textOf(macsec['mka-ckn']) || undefined,
    offload: offload < 0 ? undefined : offload,
    parent: textOf(macsec['base-iface']),
    port: port ? port : undefined,
    'send-sci': isTrue(macsec['send-sci']),
    validation: validation < 0 ? undefined : validation,
  };
}
