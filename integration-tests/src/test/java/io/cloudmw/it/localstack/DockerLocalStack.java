package io.cloudmw.it.localstack;

import java.net.URI;
import org.testcontainers.localstack.LocalStackContainer;
import org.testcontainers.utility.DockerImageName;

/** A LocalStack in a container. Later images than this one require an account. */
final class DockerLocalStack extends LocalStack {
    private final LocalStackContainer container;

    private DockerLocalStack(LocalStackContainer container) {
        this.container = container;
    }

    static DockerLocalStack start() {
        LocalStackContainer container = new LocalStackContainer(
                        DockerImageName.parse("localstack/localstack:" + LocalStackStarter.VERSION))
                .withServices("s3", "sts", "kms")
                .withEnv("DISABLE_EVENTS", "1")
                .withEnv("S3_SKIP_KMS_KEY_VALIDATION", "0");
        container.start();
        DockerLocalStack started = new DockerLocalStack(container);
        LocalStackStarter.awaitReady(started, container::isRunning);
        LocalStackStarter.say("ready in Docker at " + started.endpoint());
        return started;
    }

    @Override
    public URI endpoint() {
        return container.getEndpoint();
    }

    @Override
    public void kill() {
        container.getDockerClient().killContainerCmd(container.getContainerId()).exec();
    }

    @Override
    public void close() {
        container.stop();
    }
}
