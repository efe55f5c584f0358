import { refuseUnbuilt } from '../clusters/unbuilt-fields';

export const refuseUnbuiltInfraEnvFields = (body: object): void =>
  refuseUnbuilt(body, ['network_discovery_delay_seconds']);
