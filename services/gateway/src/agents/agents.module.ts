import { Module } from '@nestjs/common';
import { AgentsController } from './agents.controller';
import { AgentRequests } from './agent-desk';
import { BusCredentialsController } from './bus-credentials.controller';
import { AgentNatsEndpoint } from './agent-nats-endpoint';

@Module({
  controllers: [AgentsController, BusCredentialsController],
  providers: [AgentRequests, AgentNatsEndpoint],
})
export class AgentsModule {}
