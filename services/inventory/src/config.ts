import { type Environment, SettingsReader } from '@muster/nest-kit';

/** What an operator may set for this service; names as the field uses them. */
export interface InventoryConfig {
  /** Bridges, tunnels and the like count as network interfaces of the host. */
  readonly keepsVirtualInterfaces: boolean;
}

export const CONFIG = Symbol('InventoryConfig');

export function readConfig(environment: Environment): InventoryConfig {
  const settings = new SettingsReader(environment);
  return { keepsVirtualInterfaces: settings.flag('ENABLE_VIRTUAL_INTERFACES', false) };
}
