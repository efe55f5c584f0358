import { type Environment, readSettings } from '@muster/nest-kit';

export interface InventoryConfig {
  /** Bridges, tunnels and the like count as network interfaces of a host. */
  readonly keepsVirtualInterfaces: boolean;
}

/** @throws SettingsError with every setting that cannot be used */
export const readConfig = (environment: Environment): InventoryConfig =>
  readSettings(environment, (settings) => ({ keepsVirtualInterfaces: settings.get('ENABLE_VIRTUAL_INTERFACES') }));
