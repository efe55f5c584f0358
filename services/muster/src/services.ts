import type { StartService } from '@muster/nest-kit';
import { startEvents } from '@muster/service-events';
import { startGateway } from '@muster/service-gateway';
import { startIgnition } from '@muster/service-ignition';
import { startImage } from '@muster/service-image';
import { startInventory } from '@muster/service-inventory';
import { startRegistration } from '@muster/service-registration';
import { startValidation } from '@muster/service-validation';

/** Every service that can be started, in an order in which each finds its neighbours; any other order works too. */
export const SERVICES = {
  events: startEvents,
  registration: startRegistration,
  inventory: startInventory,
  validation: startValidation,
  ignition: startIgnition,
  image: startImage,
  gateway: startGateway,
} as const satisfies Record<string, StartService>;

export type StartableService = keyof typeof SERVICES;
