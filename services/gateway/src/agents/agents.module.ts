import { Module } from '@nestjs/common';
import { AgentsController } from './agents.controller';
import { AgentRequests } from './agent-desk';
import { AgentNatsEndpoint } from './agent-nats-endpoint';

@Module({
  controllers: [AgentsController],
  providers: [AgentRequests, AgentNatsEndpoint],
})
export class AgentsModule {}
