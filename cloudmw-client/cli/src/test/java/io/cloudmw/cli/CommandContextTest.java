package io.cloudmw.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.ExitCode;
import io.cloudmw.cli.command.GlobalOptions;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of interruption: an interrupted command reports that, whatever it was about to do. */
@Timeout(60)
final class CommandContextTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final CommandContext context = new CommandContext(
            InputStream.nullInputStream(),
            out,
            new PrintStream(OutputStream.nullOutputStream()),
            Map.of("CLOUDMW_COORDINATOR", "127.0.0.1:1"),
            false);

    /** A context of a process that does not wait for its command to report the end. */
    private final CommandContext hurried = context.withPatience(Duration.ZERO);

    private void cancelled(CommandContext.Work work) {
        cancelled(work, () -> {});
    }

    private void cancelled(CommandContext.Work work, Runnable end) {
        context.reported();
        assertThatExceptionOfType(CloudMwException.class)
                .isThrownBy(() -> context.run(new GlobalOptions(), client -> {
                    context.whenInterrupted(end);
                    context.interrupted(client);
                    return work.run(client);
                }))
                .extracting(CloudMwException::code)
                .isEqualTo(ErrorCode.CANCELLED);
    }

    @Test
    void interruptionBeforeACommandBeginsIsReportedOnce() {
        Main.endedEarly(hurried, "stat", "vol:/x", "--json");
        String said = "{\"error\":{\"code\":\"CANCELLED\",\"message\":\"interrupted\"}}\n";
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(said);
        assertThat(Main.run(hurried, "stat", "no-file", "--json")).isEqualTo(ExitCode.INTERRUPTED.value());
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(said);
    }

    @Test
    void reportedErrorIsNotRepeatedAtTheEndOfTheProcess() {
        assertThat(Main.run(context, "fly")).isEqualTo(2);
        Main.endedEarly(context, "fly", "--json");
        assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void pauseEndsWithTheInterruption() {
        cancelled(client -> {
            context.pause(Duration.ofHours(1));
            return Map.of();
        });
    }

    @Test
    void remoteWorkEndsBeforeTheCommandLearnsOfTheInterruption() {
        List<String> order = new CopyOnWriteArrayList<>();
        cancelled(
                client -> {
                    order.add("cancelled");
                    context.pause(Duration.ZERO);
                    return Map.of();
                },
                () -> order.add("ended"));
        assertThat(order).containsExactly("ended", "cancelled");
    }

    @Test
    void clientOpenedAfterTheInterruptionIsCancelled() {
        cancelled(client -> Map.of("fleet", Calls.await(client.cluster().fleet())));
    }

    /** The coordinator may report that the work has ended while the call that ends it is still under way. */
    @Test
    void remoteWorkEndedByTheInterruptionIsReportedAsInterrupted() {
        List<String> heard = new CopyOnWriteArrayList<>();
        Runnable end = () -> heard.add(context.endedElsewhere("was ended").getMessage());
        assertThat(context.endedElsewhere("was ended")).hasMessage("was ended");
        cancelled(
                client -> {
                    throw context.endedElsewhere("was ended");
                },
                end);
        assertThat(heard).containsExactly("interrupted");
        assertThat(context.endedElsewhere("was ended")).hasMessage("interrupted");
    }
}
