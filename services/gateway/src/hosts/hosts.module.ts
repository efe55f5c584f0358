import { Module } from '@nestjs/common';
import { HostActionsController } from './host-actions.controller';
import { HostIgnitionController } from './host-ignition.controller';
import { HostsController } from './hosts.controller';
import { HostIgnition } from './host-ignition';

@Module({
  controllers: [HostActionsController, HostIgnitionController, HostsController],
  providers: [HostIgnition],
})
export class HostsModule {}
