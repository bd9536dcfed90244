package io.cloudmw.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.client.rpc.FakeCoordinator;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A coordinator and a helper with one disk {@code s}, and the means to run commands against them in turn. */
public final class CommandFixture implements AutoCloseable {
    private final FakeCoordinator coordinator;
    private final FakeHelper helper;
    private String out = "";
    private String err = "";

    /**
     * Starts the coordinator and the helper.
     *
     * @param unreachable an address where no process listens
     */
    public CommandFixture(long chunkBytes, int leafBytes, Path unreachable) throws IOException {
        coordinator = new FakeCoordinator(chunkBytes, leafBytes);
        helper = new FakeHelper("h", FakeHelper.Script.SERVE, new ConcurrentHashMap<>());
        coordinator.add(helper.address());
        coordinator.add(new Store(new StoreId("s"), "d", new Store.Disk(new HelperId("h"), unreachable)));
    }

    public FakeCoordinator coordinator() {
        return coordinator;
    }

    /** Runs a command and returns its exit code. */
    public int run(String... args) {
        return run(new byte[0], false, args);
    }

    public int run(byte[] in, boolean terminal, String... args) {
        return run(new ByteArrayInputStream(in), terminal, args);
    }

    public int run(InputStream in, boolean terminal, String... args) {
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        CommandContext context = new CommandContext(
                in,
                to,
                new PrintStream(errors, true, StandardCharsets.UTF_8),
                Map.of("CLOUDMW_COORDINATOR", coordinator.address(), "CLOUDMW_LAUNCHER", "/nonexistent/cloudmw"),
                terminal);
        int exit = Main.run(context, args);
        out = to.toString(StandardCharsets.UTF_8);
        err = errors.toString(StandardCharsets.UTF_8);
        return exit;
    }

    /** Returns the standard output of the last command. */
    public String out() {
        return out;
    }

    /** Returns the standard error of the last command. */
    public String err() {
        return err;
    }

    /** Returns the JSON object in the last line of the last output. */
    public JsonNode json() throws IOException {
        return new ObjectMapper()
                .readTree(out.lines().reduce((before, last) -> last).orElse(""));
    }

    @Override
    public void close() {
        helper.close();
        coordinator.close();
    }
}
