import { type Environment, readSettings } from '@muster/nest-kit';

/** The settings of this service. */
export interface InventoryConfig {
  /** Bridges, tunnels and similar interfaces count as network interfaces of the host. */
  readonly keepsVirtualInterfaces: boolean;
}

export const CONFIG = Symbol('InventoryConfig');

/** @throws SettingsError with every setting that cannot be used */
export const readConfig = (environment: Environment): InventoryConfig =>
  readSettings(environment, (settings) => ({ keepsVirtualInterfaces: settings.get('ENABLE_VIRTUAL_INTERFACES') }));
