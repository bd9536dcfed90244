package io.cloudmw.core.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests on processes of their own. */
final class ForcedExitTest {
    /** A process that prints a line, then waits for a signal; one of its shutdown hooks hangs or fails. */
    static final class Stubborn {
        private Stubborn() {}

        public static void main(String[] args) throws InterruptedException {
            ForcedExit.install(Duration.ofMillis(Long.parseLong(args[1])));
            CountDownLatch never = new CountDownLatch(1);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                if (args[0].equals("fails")) {
                    throw new NoClassDefFoundError("io/cloudmw/Gone");
                }
                try {
                    never.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));
            System.out.println("runs");
            System.out.flush();
            never.await();
        }
    }

    private static int exitCodeAfterSigterm(String kind, long limitMillis) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xshare:auto",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Stubborn.class.getName(),
                        kind,
                        Long.toString(limitMillis))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (var out = process.inputReader()) {
            assertThat(out.readLine()).isEqualTo("runs");
            process.destroy();
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void aHookThatHangsIsEnded() throws IOException, InterruptedException {
        assertThat(exitCodeAfterSigterm("hangs", 100)).isEqualTo(ForcedExit.EXIT_CODE);
    }

    @Test
    void hooksThatEndNeedNoForce() throws IOException, InterruptedException {
        assertThat(exitCodeAfterSigterm("fails", TimeUnit.DAYS.toMillis(1))).isEqualTo(143);
    }
}
