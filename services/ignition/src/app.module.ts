import { keptEntries, type SavedConsumer } from '@muster/event-sourcing';
import {
  DocumentWorkers,
  type Platform,
  platformProviders,
  ReactorHost,
  Readiness,
  SAVED,
  savedViews,
} from '@muster/nest-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { ArtifactVault } from './artifacts/artifact-vault';
import { Artifacts, ArtifactsProcess } from './artifacts/artifacts-process';
import {
  AcceptIngressCaController,
  ReadArtifactController,
  RenderInstallConfigController,
} from './artifacts/artifacts.controller';
import { JoiningHosts } from './artifacts/joining-hosts';
import { CONFIG, type IgnitionServiceConfig, readConfig } from './config';
import { DiscoveryDocuments, SERVICE_CA, TOKENS } from './discovery/discovery-documents';
import { DiscoveryPreparation } from './discovery/discovery-preparation';
import { RenderDiscoveryIgnitionController, RenderNetworkRamdiskController } from './discovery/discovery.controller';
import { type InfraEnvTokens, keyPairSigner, ownKeySigner, signedTokens } from './discovery/infra-env-tokens';
import { NetworkRamdisks } from './discovery/network-ramdisks';
import { UnconfiguredIgnition } from './discovery/unconfigured-ignition';
import { Manifests } from './manifests/manifests';
import { ManifestsController } from './manifests/manifests.controller';
import { builtinToolchain } from './toolchain/builtin-toolchain';
import { InstallerBinaries } from './toolchain/openshift-install/installer-binaries';
import { openshiftInstallToolchain } from './toolchain/openshift-install/openshift-install-toolchain';
import { ArtifactsRefused, TOOLCHAINS, type Toolchains } from './toolchain/toolchain.port';
import { INSTALL_SHAPES, InstallView, VIEW_VERSION } from './view/install-view';

@Module({})
export class AppModule {
  static on(platform: Platform): DynamicModule {
    const config = readConfig(platform.environment);
    return {
      module: AppModule,
      controllers: [
        RenderDiscoveryIgnitionController,
        RenderNetworkRamdiskController,
        ReadArtifactController,
        RenderInstallConfigController,
        AcceptIngressCaController,
        ManifestsController,
      ],
      providers: [
        ...platformProviders(platform),
        { provide: CONFIG, useValue: config },
        { provide: TOKENS, useFactory: () => tokensFor(config, platform) },
        { provide: SERVICE_CA, useValue: config.serviceCaPem ?? '' },
        {
          provide: TOOLCHAINS,
          inject: [InstallerBinaries, DocumentWorkers],
          useFactory: (binaries: InstallerBinaries, documents: DocumentWorkers) =>
            toolchainsOf(config, binaries, documents),
        },
        { provide: InstallerBinaries, useFactory: () => new InstallerBinaries(config.openshiftInstall) },
        { provide: DocumentWorkers, useFactory: () => DocumentWorkers.create() },
        Readiness,
        ReactorHost,
        savedViews('ignition', VIEW_VERSION, INSTALL_SHAPES),
        {
          provide: InstallView,
          inject: [SAVED],
          useFactory: (saved: SavedConsumer) => new InstallView(keptEntries(saved)),
        },
        Artifacts,
        ArtifactVault,
        Manifests,
        ArtifactsProcess,
        JoiningHosts,
        DiscoveryDocuments,
        UnconfiguredIgnition,
        DiscoveryPreparation,
        NetworkRamdisks,
      ],
    };
  }
}

function toolchainsOf(
  { openshiftInstall, toolchains }: IgnitionServiceConfig,
  binaries: InstallerBinaries,
  documents: DocumentWorkers,
): Toolchains {
  const byName = {
    builtin: builtinToolchain(documents),
    'openshift-install': openshiftInstallToolchain(openshiftInstall, binaries, documents),
  };
  return {
    of: (releaseImage) => {
      const choice = toolchains.of(releaseImage);
      if (choice.kind === 'refused') throw new ArtifactsRefused(choice.reason);
      return byName[choice.toolchain];
    },
    keptSecrets: Object.values(byName).flatMap(({ keptSecrets }) => keptSecrets),
  };
}

function tokensFor(
  { authType, ecPrivateKey, agentTokenLifetimeMs }: IgnitionServiceConfig,
  platform: Platform,
): InfraEnvTokens {
  // With AUTH_TYPE=agent-installer-local the site creates the tokens of its agents.
  if (authType === 'agent-installer-local') return () => Promise.resolve('');
  const signer = authType === 'local' && ecPrivateKey ? keyPairSigner(ecPrivateKey) : ownKeySigner(platform.secrets);
  return signedTokens(platform, signer, agentTokenLifetimeMs);
}
