package io.cloudmw.helper;

import io.grpc.Server;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The resources that a helper has opened. Closing the stack closes them in reverse order, each in bounded time.
 * Confined to one thread at a time.
 */
final class ResourceStack implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ResourceStack.class);

    private interface Closing {
        void run() throws Exception;
    }

    private final String owner;
    private final Deque<Closing> closings = new ArrayDeque<>();

    /** @param owner the owner of the resources, for messages */
    ResourceStack(String owner) {
        this.owner = owner;
    }

    /** Takes over a resource. */
    <T extends AutoCloseable> T opened(T resource) {
        closings.push(resource::close);
        return resource;
    }

    /** Takes over an executor. Closing it waits one second for its tasks, then interrupts them. */
    <T extends ExecutorService> T pool(T executor) {
        closings.push(() -> {
            executor.shutdown();
            if (!executor.awaitTermination(1, TimeUnit.SECONDS)) {
                executor.shutdownNow();
            }
        });
        return executor;
    }

    /** Takes over a gRPC server. Closing it waits one second for its calls, then cancels them. */
    Server server(Server server) {
        closings.push(() -> {
            server.shutdown();
            if (!server.awaitTermination(1, TimeUnit.SECONDS)) {
                server.shutdownNow().awaitTermination(1, TimeUnit.SECONDS);
            }
        });
        return server;
    }

    /** Closes every resource, the last opened first; failures are logged. Idempotent. */
    @Override
    public void close() {
        while (!closings.isEmpty()) {
            try {
                closings.pop().run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception | LinkageError e) {
                LOG.warn("{}: a resource could not be closed", owner, e);
            }
        }
    }
}
