import { AGENT_RULES } from './agent.rules';
import { CONNECTION_RULES } from './connection.rules';
import { CONNECTIVITY_RULES } from './connectivity.rules';
import { DISK_RULES } from './disk.rules';
import { ENCRYPTION_RULES } from './encryption.rules';
import { HARDWARE_RULES } from './hardware.rules';
import type { HostRule } from './host-rule';
import { INVENTORY_RULES } from './inventory.rules';
import { NAME_RULES } from './name.rules';
import { NAME_RESOLUTION_RULES } from './name-resolution.rules';
import { NETWORK_RULES } from './network.rules';
import { HOST_OPERATOR_RULES } from './operator.rules';
import { PLATFORM_RULES } from './platform.rules';
import { TIME_RULES } from './time.rules';

/** Every rule about a host. Gates, the reference page and the tests are derived from these rows. */
export const HOST_RULES: readonly HostRule[] = [
  ...CONNECTION_RULES,
  ...INVENTORY_RULES,
  ...HARDWARE_RULES,
  ...DISK_RULES,
  ...ENCRYPTION_RULES,
  ...NAME_RULES,
  ...PLATFORM_RULES,
  ...NETWORK_RULES,
  ...CONNECTIVITY_RULES,
  ...NAME_RESOLUTION_RULES,
  ...TIME_RULES,
  ...AGENT_RULES,
  ...HOST_OPERATOR_RULES,
];
