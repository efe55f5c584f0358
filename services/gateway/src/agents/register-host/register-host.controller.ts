import { Controller, HttpCode, Post } from '@nestjs/common';
import {
  type Static,
  list,
  maybe,
  record,
  RegisterHostBody,
  text,
  V2_HOST,
  type V2Host,
  whole,
} from '@muster/assisted-api';
import type { CommandContext } from '@muster/event-sourcing';
import { RefusalError } from '@muster/problems';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { ReadYourWrites } from '../../bus/read-your-writes';
import { Id, JsonBody, OptionalHeader } from '../../http/parameters.decorators';
import { HostViews } from '../../views/host-views';
import { AgentRequests } from '../agent-desk';

/** `host_registration_response` of the contract. */
const V2_REGISTERED_HOST = record('host_registration_response', {
  ...V2_HOST.members,
  next_step_runner_command: record('next-step-runner-command', {
    command: maybe(text()),
    args: list(text()),
    retry_seconds: maybe(whole()),
  }),
});
type V2RegisteredHost = Static<typeof V2_REGISTERED_HOST>;

@Controller('v2/infra-envs/:infra_env_id/hosts')
export class RegisterHostController {
  constructor(
    private readonly desk: AgentRequests,
    private readonly readYourWrites: ReadYourWrites,
    private readonly hosts: HostViews,
  ) {}

  @Post()
  @HttpCode(201)
  @Answers('Makes a host known, or tells again what is known of it.', V2_REGISTERED_HOST)
  @Accepts('agentAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @JsonBody(RegisterHostBody) body: RegisterHostBody,
    @OptionalHeader('discovery_agent_version') versionHeader: string | undefined,
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
}
