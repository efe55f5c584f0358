import { Module } from '@nestjs/common';
import { EventsController } from './events.controller';
import { EventPages } from './event-pages';
import { EventScopes } from './event-scopes';

@Module({
  controllers: [EventsController],
  providers: [EventPages, EventScopes],
})
export class EventsModule {}
