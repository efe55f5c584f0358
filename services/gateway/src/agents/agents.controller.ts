import { Type } from '@sinclair/typebox';
import {
  HostProgressBody,
  NextStepsQuery,
  RegisterHostBody,
  type Static,
  StepReplyBody,
  V2_HOST,
  type V2Host,
} from '@muster/assisted-api';
import type { CommandContext } from '@muster/event-sourcing';
import { RefusalError } from '@muster/problems';
import { Body, Controller, Get, Headers, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { Answers, AnswersNothing } from '../api-document/answers.decorator';
import { Accepts } from '../auth/accepts.decorator';
import { Context } from '../auth/command-context.decorator';
import { ReadYourWrites } from '../bus/read-your-writes';
import { SendsAgentVersion } from '../http/headers.decorators';
import { IdPipe } from '../http/request.pipes';
import { HostViews } from '../views/host-views';
import { AgentRequests } from './agent-desk';
import { presentSteps, V2_STEPS, type V2Steps } from './present-steps';

/** `host_registration_response` of the contract. */
const V2_REGISTERED_HOST = Type.Object(
  {
    ...V2_HOST.properties,
    next_step_runner_command: Type.Object(
      {
        command: Type.Optional(Type.String()),
        args: Type.Array(Type.String()),
        retry_seconds: Type.Optional(Type.Integer()),
      },
      { title: 'next-step-runner-command' },
    ),
  },
  { title: 'host_registration_response' },
);

type V2RegisteredHost = Static<typeof V2_REGISTERED_HOST>;

@Controller('v2/infra-envs/:infra_env_id/hosts')
export class AgentsController {
  constructor(
    private readonly desk: AgentRequests,
    private readonly readYourWrites: ReadYourWrites,
    private readonly hosts: HostViews,
  ) {}

  @Post()
  @HttpCode(201)
  @Answers('Register a host (idempotent).', V2_REGISTERED_HOST)
  @Accepts('agentAuth')
  async registerHost(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Body() body: RegisterHostBody,
    @Headers('discovery_agent_version') versionHeader: string | undefined,
    @Context() context: CommandContext,
  ): Promise<V2RegisteredHost> {
    const hostId = body.host_id.toLowerCase();
    const discoveryAgentVersion = body.discovery_agent_version ?? versionHeader ?? '';
    const input = { infraEnvId, hostId, discoveryAgentVersion };
    const { stored, agentVersion } = await this.desk.ask('register', input, context);
    const isVisible = stored === undefined || (await this.readYourWrites.passed(stored.position));
    const runner = { infra_env_id: infraEnvId, host_id: hostId, agent_version: agentVersion };
    return {
      ...(await this.show(infraEnvId, hostId, isVisible)),
      next_step_runner_command: { args: [JSON.stringify(runner)] },
    };
  }

  /** A host that is registered but not shown yet is not "not found": an agent would wait for ever on that. */
  private async show(infraEnvId: string, hostId: string, isVisible: boolean): Promise<V2Host> {
    try {
      return await this.hosts.show(infraEnvId, hostId);
    } catch (error) {
      if (isVisible || !(error instanceof RefusalError)) throw error;
      const reason = `Host ${hostId} is registered but cannot be shown yet; register again in a few seconds.`;
      throw new RefusalError({ code: 'busy', reason });
    }
  }

  @Get(':host_id/instructions')
  @Answers('Get the next steps of a host and the time until the next request.', V2_STEPS)
  @Accepts('agentAuth')
  async nextSteps(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Query() { timestamp: timestampSeconds = 0 }: NextStepsQuery,
    @Headers('discovery_agent_version') discoveryAgentVersion: string | undefined,
    @Context() context: CommandContext,
  ): Promise<V2Steps> {
    const version = discoveryAgentVersion ?? '';
    const input = { infraEnvId, hostId, discoveryAgentVersion: version, timestampSeconds, receivesNudges: false };
    return presentSteps(await this.desk.ask('next_steps', input, context));
  }

  @Post(':host_id/instructions')
  @HttpCode(204)
  @SendsAgentVersion()
  @AnswersNothing('Submit the result of a step.')
  @Accepts('agentAuth')
  async replyToStep(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Body() body: StepReplyBody,
    @Context() context: CommandContext,
  ): Promise<void> {
    const { step_type: stepType = '', step_id: stepId = '', exit_code: exitCode = 0, output = '', error = '' } = body;
    await this.desk.ask('reply_to_step', { infraEnvId, hostId, stepType, stepId, exitCode, output, error }, context);
  }

  @Put(':host_id/progress')
  @HttpCode(200)
  @SendsAgentVersion()
  @AnswersNothing('Report the installation stage of a host.')
  @Accepts('agentAuth')
  async reportProgress(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Body() { current_stage: stage, progress_info: progressInfo = '' }: HostProgressBody,
    @Context() context: CommandContext,
  ): Promise<void> {
    await this.desk.ask('report_progress', { infraEnvId, hostId, stage, progressInfo }, context);
  }
}
