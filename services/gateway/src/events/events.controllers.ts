import type { Type } from '@nestjs/common';
import { ListEventsController } from './list-events/list-events.controller';
import { TriggerEventController } from './trigger-event/trigger-event.controller';

export const EVENT_CONTROLLERS: readonly Type[] = [ListEventsController, TriggerEventController];
