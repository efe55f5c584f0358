import { GATEWAY_SETTINGS } from './table/gateway.settings';
import { HOST_SETTINGS } from './table/host.settings';
import { IGNITION_SETTINGS } from './table/ignition.settings';
import { IMAGE_SETTINGS } from './table/image.settings';
import { PROGRAM_SETTINGS } from './table/program.settings';
import { SHARED_SETTINGS } from './table/shared.settings';

/** Every setting of every service by its name. `docs/reference/settings.md` is generated from this table. */
export const SETTINGS = {
  ...PROGRAM_SETTINGS,
  ...SHARED_SETTINGS,
  ...GATEWAY_SETTINGS,
  ...IGNITION_SETTINGS,
  ...IMAGE_SETTINGS,
  ...HOST_SETTINGS,
};

export type SettingName = keyof typeof SETTINGS;
export type SettingValue<Name extends SettingName> = (typeof SETTINGS)[Name]['fallback'];
