package io.cloudmw.client.cli;

import io.cloudmw.client.cli.fleet.Closing;

/**
 * Closes what a command has opened when the command is over and when the process is told to end (SIGINT, SIGTERM,
 * SIGHUP), whichever comes first: then the process ends only when all is closed.
 */
final class Interruption implements AutoCloseable {
    private final Closing closing = new Closing();
    private final Thread hook = new Thread(closing::close, "cloudmw-interrupted");

    Interruption() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** What is added here is closed. */
    Closing closing() {
        return closing;
    }

    @Override
    public void close() {
        closing.close();
        CommandContext.forget(hook);
    }
}
