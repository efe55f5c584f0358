import { Controller, Headers, HttpCode, Post } from '@nestjs/common';
import { RegisterHostBody, type V2Host } from '@muster/assisted-api';
import type { CommandContext } from '@muster/event-sourcing';
import { RefusalError } from '@muster/problems';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { ReadYourWrites } from '../../bus/read-your-writes';
import { Id, JsonBody } from '../../http/parameters.decorators';
import { HostViews } from '../../views/host-views';
import { AgentDesk } from '../agent-desk';

/** `host_registration_response` of the contract. */
type V2RegisteredHost = V2Host & { readonly next_step_runner_command: { readonly args: readonly string[] } };

@Controller('v2/infra-envs/:infra_env_id/hosts')
export class RegisterHostController {
  constructor(
    private readonly desk: AgentDesk,
    private readonly readYourWrites: ReadYourWrites,
    private readonly hosts: HostViews,
  ) {}

  @Post()
  @HttpCode(201)
  @Accepts('agentAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @JsonBody(RegisterHostBody) body: RegisterHostBody,
    @Headers('discovery_agent_version') versionHeader: string | undefined,
    @Context() context: CommandContext,
  ): Promise<V2RegisteredHost> {
    const hostId = body.host_id.toLowerCase();
    const discoveryAgentVersion = body.discovery_agent_version ?? versionHeader ?? '';
    const input = { infraEnvId, hostId, discoveryAgentVersion };
    const { stored, agentVersion } = await this.desk.ask('register', input, context);
    const isShown = stored === undefined || (await this.readYourWrites.passed(stored.position));
    const runner = { infra_env_id: infraEnvId, host_id: hostId, agent_version: agentVersion };
    return {
      ...(await this.show(infraEnvId, hostId, isShown)),
      next_step_runner_command: { args: [JSON.stringify(runner)] },
    };
  }

  /** A host that is registered but not shown yet is not "not found": an agent would wait for ever on that. */
  private async show(infraEnvId: string, hostId: string, isShown: boolean): Promise<V2Host> {
    try {
      return await this.hosts.show(infraEnvId, hostId);
    } catch (error) {
      if (isShown || !(error instanceof RefusalError)) throw error;
      const reason = `Host ${hostId} is registered but cannot be shown yet; register again in a few seconds.`;
      throw new RefusalError({ code: 'busy', reason });
    }
  }
}
