import {
  BusCredentialsBody,
  HostProgressBody,
  NextStepsQuery,
  RegisterHostBody,
  type Static,
  StepReplyBody,
  V2_HOST,
} from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { RefusalError } from '@muster/problems';
import { Body, Controller, Get, Headers, HttpCode, Param, Post, Put, Query, Req } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { Answers, AnswersNothing, AnswersText } from '../api-document/answers.decorator';
import { Accepts, ReachesHostsOfCluster } from '../auth/caller';
import { type AgentRequest, Context, FromAgent } from '../auth/request.decorators';
import { Commands } from '../bus/commands';
import { ReadYourWrites } from '../bus/read-your-writes';
import type { JsonAnswer } from '../http/file-answers';
import { SendsAgentVersion } from '../http/headers';
import { IdPipe } from '../http/request.pipes';
import { MUSTER_API } from '../http/routes';
import { HostViews } from '../views/host-views';
import { AgentRequests, V2_STEPS, writeSteps } from './agent-requests';
import { HeldPolls } from './held-polls';

/** `host_registration_response` of the v2 API. */
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

type RunnerCommand = Pick<Static<typeof V2_REGISTERED_HOST>, 'next_step_runner_command'>;

@Controller('v2/infra-envs/:infra_env_id/hosts')
export class AgentsController {
  constructor(
    private readonly agentRequests: AgentRequests,
    private readonly heldPolls: HeldPolls,
    private readonly readYourWrites: ReadYourWrites,
    private readonly hosts: HostViews,
  ) {}

  @Post()
  @HttpCode(201)
  @AnswersText('Register a host (idempotent).', V2_REGISTERED_HOST)
  @Accepts('agentAuth')
  async registerHost(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Body() body: RegisterHostBody,
    @Headers('discovery_agent_version') versionHeader: string | undefined,
    @Context() context: CommandContext,
  ): Promise<JsonAnswer> {
    const hostId = body.host_id.toLowerCase();
    const discoveryAgentVersion = body.discovery_agent_version ?? versionHeader ?? '';
    const input = { infraEnvId, hostId, discoveryAgentVersion };
    const { stored, agentVersion } = await this.agentRequests.send('register', input, context);
    const isVisible = stored === undefined || (await this.readYourWrites.passed(stored.position));
    const runner = { infra_env_id: infraEnvId, host_id: hostId, agent_version: agentVersion };
    return this.show(infraEnvId, hostId, isVisible, {
      next_step_runner_command: { args: [JSON.stringify(runner)] },
    });
  }

  /**
   * A registered host that the read models do not contain yet is answered with 503. After a 404 an agent would not
   * retry.
   */
  private async show(
    infraEnvId: string,
    hostId: string,
    isVisible: boolean,
    command: RunnerCommand,
  ): Promise<JsonAnswer> {
    try {
      return await this.hosts.show(infraEnvId, hostId, command);
    } catch (error) {
      if (isVisible || !(error instanceof RefusalError)) throw error;
      const reason = `Host ${hostId} is registered but cannot be shown yet; register again in a few seconds.`;
      throw new RefusalError({ code: 'busy', reason });
    }
  }

  @Get(':host_id/instructions')
  @AnswersText('Get the next steps of a host and the time until the next request.', V2_STEPS, {
    mayBeNotReady: true,
    mayStore: true,
  })
  @Accepts('agentAuth')
  async nextSteps(
    @FromAgent() { infraEnvId, hostId, context }: AgentRequest,
    @Query() { timestamp: timestampSeconds = 0 }: NextStepsQuery,
    @Headers('discovery_agent_version') discoveryAgentVersion: string | undefined,
    @Req() request: FastifyRequest,
  ): Promise<JsonAnswer> {
    const version = discoveryAgentVersion ?? '';
    const input = { infraEnvId, hostId, discoveryAgentVersion: version, timestampSeconds, receivesNudges: false };
    const ask = () => this.agentRequests.nextSteps(input, context, request);
    const held = this.heldPolls.hold({ infraEnvId, hostId }, request.socket, ask, ({ holdSeconds }) => holdSeconds);
    return writeSteps(await held);
  }

  @Post(':host_id/instructions')
  @HttpCode(204)
  @SendsAgentVersion()
  @AnswersNothing('Submit the result of a step.')
  @Accepts('agentAuth')
  async replyToStep(
    @FromAgent() { infraEnvId, hostId, context }: AgentRequest,
    @Body() body: StepReplyBody,
  ): Promise<void> {
    const { step_type: stepType = '', step_id: stepId = '', exit_code: exitCode = 0, output = '', error = '' } = body;
    await this.agentRequests.send(
      'reply_to_step',
      { infraEnvId, hostId, stepType, stepId, exitCode, output, error },
      context,
    );
  }

  @Put(':host_id/progress')
  @HttpCode(200)
  @SendsAgentVersion()
  @AnswersNothing('Report the installation stage of a host.')
  @Accepts('agentAuth')
  @ReachesHostsOfCluster()
  async reportProgress(
    @FromAgent() { infraEnvId, hostId, context }: AgentRequest,
    @Body() { current_stage: stage, progress_info: progressInfo = '' }: HostProgressBody,
  ): Promise<void> {
    await this.agentRequests.send('report_progress', { infraEnvId, hostId, stage, progressInfo }, context);
  }
}

const BUS_CREDENTIALS = Type.Object(
  {
    jwt: Type.String(),
    inbox_prefix: Type.String(),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'bus-credentials' },
);

@Controller(MUSTER_API)
export class BusCredentialsController {
  constructor(private readonly commands: Commands) {}

  @Post('infra-envs/:infra_env_id/hosts/:host_id/bus-credentials')
  @Answers('Issue bus credentials for the agent of a registered host.', BUS_CREDENTIALS, { mayBeUnsupported: true })
  @Accepts('agentAuth')
  async issue(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Body() { public_key: publicKey }: BusCredentialsBody,
    @Context() context: CommandContext,
  ): Promise<Static<typeof BUS_CREDENTIALS>> {
    const request = { infraEnvId, hostId, publicKey };
    const { issueBusCredentials } = RegistrationService.method;
    const { jwt, inboxPrefix, expiresAt } = await this.commands.send(issueBusCredentials, request, context);
    return { jwt, inbox_prefix: inboxPrefix, expires_at: expiresAt };
  }
}
