import { DEFAULT_FLAP_POLICY } from '@muster/validation-rules';
import { Type } from '@sinclair/typebox';
import {
  boolean,
  bytes,
  duration,
  DURATION,
  DURATION_EXPECTED,
  integer,
  json,
  lifetime,
  list,
  text,
  timeout,
} from '../setting';

const REGISTRATION = { readBy: ['registration'] } as const;
const VALIDATION = { readBy: ['validation'] } as const;
const MINUTE_MS = 60_000;
/** The number of changes of one outcome that are remembered. */
const FLIPS_MAX = 50;
const MAC_ADDRESS = /^[\da-f]{2}(?::[\da-f]{2}){5}$/i;

/** Settings of registration, inventory, validation and events: how hosts and clusters are handled. */
export const HOST_SETTINGS = {
  MCO_IMAGE: text({
    ...REGISTRATION,
    fallback: '',
    fallbackText: 'the one that the release names',
    meaning: 'The machine-config-operator image that hosts check and install.',
  }),
  MUST_GATHER_IMAGE: text({
    ...REGISTRATION,
    fallback: '',
    fallbackText: 'the one that the release names',
    meaning: 'The must-gather image that hosts check and the controller uses.',
  }),
  DISK_CHECK_TIMEOUT: timeout({
    ...REGISTRATION,
    fallback: 8 * MINUTE_MS,
    meaning: 'The time limit for the disk speed check of a host.',
  }),
  IMAGE_AVAILABILITY_TIMEOUT: timeout({
    ...REGISTRATION,
    fallback: 16 * MINUTE_MS,
    meaning: 'The time limit for the image availability check of a host.',
  }),
  AGENT_INVENTORY_MAX_SIZE: bytes({
    ...REGISTRATION,
    fallback: 0,
    meaning: 'The size above which agents truncate an inventory. 0: never.',
  }),
  AGENT_INVENTORY_DISK_MIN_SIZE: bytes({
    ...REGISTRATION,
    fallback: 0,
    meaning: 'Agents omit smaller disks from an inventory that is too large.',
  }),
  CHECK_CLUSTER_VERSION: boolean({
    ...REGISTRATION,
    fallback: false,
    meaning:
      'Whether the installations of clusters also wait for the cluster-version operator. A cluster keeps the value that applied when its version, overrides and operators were last set.',
  }),
  ENABLE_SKIP_MCO_REBOOT: boolean({
    ...REGISTRATION,
    fallback: true,
    meaning: 'Whether hosts skip the reboot by the machine-config operator where the release supports it.',
  }),
  DISABLED_STEPS: list({ ...REGISTRATION, meaning: 'Agent steps that are never sent.' }),
  HOST_MAX_DISCONNECTION_TIME: lifetime({
    ...REGISTRATION,
    fallback: 3 * MINUTE_MS,
    meaning: 'The time without a poll after which a host is disconnected.',
  }),
  ENABLE_SOFT_TIMEOUTS: boolean({
    ...REGISTRATION,
    fallback: false,
    meaning: 'Whether an exceeded installation timeout causes a warning instead of a failed installation.',
  }),
  ENABLE_AUTO_ASSIGN: boolean({
    ...REGISTRATION,
    fallback: true,
    meaning:
      'Whether roles are suggested for hosts whose role is `auto-assign` before the installation. The installation assigns the roles in both cases.',
  }),
  BOOTSTRAP_HOST_MAC: {
    ...text({
      ...REGISTRATION,
      fallback: '',
      fallbackText: 'none',
      meaning:
        'A MAC address of the host that runs Muster, for a cluster whose hosts install themselves. This host becomes the bootstrap host, because the bootstrap host reboots last.',
    }),
    expected: 'a MAC address such as 02:00:00:80:12:14',
    parse: (value: string) => (MAC_ADDRESS.test(value) ? value.toLowerCase() : undefined),
  },
  ENABLE_VIRTUAL_INTERFACES: boolean({
    readBy: ['inventory', 'registration'],
    fallback: false,
    meaning: 'Whether bridges, tunnels and similar interfaces count as network interfaces of a host.',
  }),
  DISABLED_HOST_VALIDATIONS: list({ ...VALIDATION, meaning: 'Ids of host validations that are not evaluated.' }),
  DISABLED_CLUSTER_VALIDATIONS: list({ ...VALIDATION, meaning: 'Ids of cluster validations that are not evaluated.' }),
  VALIDATION_FLAPPING_TURNS: integer({
    ...VALIDATION,
    fallback: DEFAULT_FLAP_POLICY.flipsMin,
    min: 2,
    max: FLIPS_MAX,
    meaning: 'The number of changes within `VALIDATION_FLAPPING_WINDOW` from which a validation is flapping.',
  }),
  VALIDATION_FLAPPING_WINDOW: duration({
    ...VALIDATION,
    fallback: DEFAULT_FLAP_POLICY.windowMs,
    meaning: 'The time in which changes of a validation are counted.',
  }),
  VALIDATION_FLAPPING_QUIET: duration({
    ...VALIDATION,
    fallback: DEFAULT_FLAP_POLICY.quietMs,
    meaning: 'The time for which a flapping validation must be stable before it passes again.',
  }),
  EVENT_RATE_LIMITS: json({
    readBy: ['events'],
    schema: Type.Record(Type.String(), Type.String({ pattern: DURATION.source, expected: DURATION_EXPECTED })),
    expected: 'a JSON object of event name to duration',
    fallbackText: '`upgrade_agent_started`, `_finished` and `_failed`: 1h',
    meaning: 'A JSON object of event name to the shortest time between two such events about one subject.',
  }),
};
