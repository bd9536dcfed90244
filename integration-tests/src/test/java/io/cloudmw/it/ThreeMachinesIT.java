package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of a coordinator, helpers and clients on three machines, simulated by network namespaces. Where these cannot be
 * made, the test reports that and ends, unless {@code CLOUDMW_REQUIRE_NETNS=1} requires them.
 */
final class ThreeMachinesIT {
    private static final Path SCRIPT =
            Path.of("netns", "machines.sh").toAbsolutePath().normalize();
    private static final int NO_NAMESPACES = 77;

    /**
     * A Python program that forwards connections from a port on this machine's loopback to another machine. Any python3
     * can run it.
     */
    private static final String TUNNEL = """
            import socket, sys, threading

            def copy(source, sink):
                try:
                    while True:
                        piece = source.recv(65536)
                        if not piece:
                            break
                        sink.sendall(piece)
                except OSError:
                    pass
                for end in (source, sink):
                    try:
                        end.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass

            port, host, target = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
            server = socket.create_server(("127.0.0.1", port))
            print("ready tunnel", flush=True)
            while True:
                near = server.accept()[0]
                far = socket.create_connection((host, target))
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=copy, args=ends, daemon=True).start()
            """;

    private static final long LONGEST_MINUTES = 10;

    @TempDir
    private Path directory;

    private record Run(int exitCode, String out) {}

    private Run run(List<String> before, Object... arguments) throws IOException, InterruptedException {
        Path out = directory.resolve("out");
        List<String> command = new ArrayList<>(before);
        command.add(SCRIPT.toString());
        List.of(arguments).forEach(argument -> command.add(argument.toString()));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
        builder.environment().put("CLOUDMW_JAVA_OPTS", Fleet.SHORT_LIVED);
        builder.environment().remove("CLOUDMW_TLS_INSECURE");
        Process process = builder.start();
        try {
            assertThat(process.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroy();
        }
        return new Run(process.exitValue(), Files.readString(out));
    }

    /** Returns whether the machines could be made; otherwise logs the reason. */
    private static boolean succeeded(Run run) {
        if (run.exitCode() == NO_NAMESPACES && !"1".equals(System.getenv("CLOUDMW_REQUIRE_NETNS"))) {
            System.out.println("ThreeMachinesIT did not run: " + run.out().strip());
            return false;
        }
        assertThat(run.exitCode()).as(run.out()).isZero();
        return true;
    }

    private Run section(String... blocks) throws IOException, InterruptedException {
        StringBuilder text = new StringBuilder("## Section\n");
        for (String block : blocks) {
            text.append("```\n").append(block.strip()).append("\n```\n");
        }
        Path file = Files.writeString(directory.resolve("section.md"), text, StandardCharsets.UTF_8);
        return run(List.of(), file, "Section");
    }

    @Test
    void commandsOfTheOperateDocumentMakeAClusterOfThreeMachines() throws IOException, InterruptedException {
        Run run = run(List.of());
        if (succeeded(run)) {
            assertThat(run.out())
                    .contains("ready helper id=h2 control=10.0.0.2:", "ready helper id=h3 control=10.0.0.3:")
                    .doesNotContain("127.0.0.1")
                    .contains("three machines: 6 blocks succeeded");
        }
    }

    /** Root drops its rights first: an ordinary user makes the namespaces inside a user namespace. */
    @Test
    void anOrdinaryUserMakesTheMachinesToo() throws IOException, InterruptedException {
        Path file = Files.writeString(directory.resolve("section.md"), """
                ## Section
                ```
                # on 10.0.0.2
                ip -o addr show dev eth0
                ```
                """);
        List<String> asNobody = isRoot() && Files.isExecutable(Path.of("/usr/bin/setpriv"))
                ? List.of("/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
                : List.of();
        Files.setPosixFilePermissions(directory, java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-xr-x"));
        Run run = run(asNobody, file, "Section");
        if (succeeded(run)) {
            assertThat(run.out()).contains("10.0.0.2/24", "fd00::2/64");
        }
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    @Test
    void helpersOnTheWildcardAdvertiseAnAddressOfEitherFamily() throws IOException, InterruptedException {
        Run run = section("""
                # on 10.0.0.1
                ./cloudmw coordinator --listen '[::]:7400' --data-dir ~/coordinator &
                """, """
                # on 10.0.0.2
                mkdir -p ~/.cloudmw && scp 10.0.0.1:.cloudmw/cluster.secret ~/.cloudmw/
                ./cloudmw helper --id v6 --disk d6=$HOME/d6 --coordinator '[fd00::1]:7400' &
                """, """
                # on 10.0.0.3
                mkdir -p ~/.cloudmw && scp 10.0.0.1:.cloudmw/cluster.secret ~/.cloudmw/
                ./cloudmw helper --id any4 --disk d4=$HOME/d4 --coordinator 10.0.0.1:7400 --listen 0.0.0.0:0 \\
                  --bulk-listen '[::]:0' &
                """, """
                # on 10.0.0.1
                export CLOUDMW_COORDINATOR='[fd00::1]:7400'
                ./cloudmw volume create shared --replicas 2 --store d6 --store d4
                ./cloudmw put README.md shared:/README.md
                """, """
                # on 10.0.0.3
                scp 10.0.0.1:.cloudmw/admin.token ~/.cloudmw/
                ./cloudmw get shared:/README.md ~/back.md --coordinator 10.0.0.1:7400
                cmp README.md ~/back.md
                """);
        if (succeeded(run)) {
            assertThat(run.out())
                    .contains("id=v6 control=[fd00::2]:", "bulk=[fd00::2]:")
                    .contains("id=any4 control=10.0.0.3:", "bulk=10.0.0.3:");
        }
    }

    @Test
    void addressThatOtherMachinesCannotReachIsRefused() throws IOException, InterruptedException {
        Run run = section("""
                # on 10.0.0.1
                ./cloudmw coordinator --listen 10.0.0.1:7400 --data-dir ~/coordinator &
                """, """
                # on 10.0.0.2
                mkdir -p ~/.cloudmw && scp 10.0.0.1:.cloudmw/cluster.secret ~/.cloudmw/
                refused() {
                  code=0
                  ./cloudmw helper --id h --coordinator 10.0.0.1:7400 "$@" || code=$?
                  [ "$code" -eq 2 ]
                }
                refused --listen 127.0.0.1:0
                refused --bulk-listen '[::1]:0'
                refused --advertise localhost
                refused --advertise 0.0.0.0
                """);
        if (succeeded(run)) {
            assertThat(run.out())
                    .contains(
                            "helper.control.listen: 127.0.0.1 (expected: an address",
                            "only this machine reaches this address")
                    .contains("helper.bulk.listen: ::1 (expected: an address")
                    .contains("helper.advertise-host: localhost (expected: an address")
                    .contains("helper.advertise-host: 0.0.0.0 (expected: an address");
        }
    }

    /** Through the tunnel the coordinator looks local to the helper, so only the coordinator can detect the mistake. */
    @Test
    void aCoordinatorRefusesAHelperThatAdvertisesLoopbackThroughATunnel() throws IOException, InterruptedException {
        Path tunnel = Files.writeString(directory.resolve("tunnel.py"), TUNNEL, StandardCharsets.UTF_8);
        Run run = section("""
                # on 10.0.0.1
                ./cloudmw coordinator --listen 10.0.0.1:7400 --data-dir ~/coordinator &
                """, """
                # on 10.0.0.2
                python3 %s 7400 10.0.0.1 7400 &
                """.formatted(tunnel), """
                # on 10.0.0.2
                mkdir -p ~/.cloudmw && scp 10.0.0.1:.cloudmw/cluster.secret ~/.cloudmw/
                code=0
                ./cloudmw helper --id h --coordinator 127.0.0.1:7400 || code=$?
                [ "$code" -eq 2 ]
                """, """
                # on 10.0.0.1
                ./cloudmw helpers --coordinator 10.0.0.1:7400 --json
                """);
        if (succeeded(run)) {
            assertThat(run.out())
                    .contains("helper h advertises 127.0.0.1:")
                    .contains("which other machines cannot reach; its call came from 10.0.0.2")
                    .contains("helper.advertise-host")
                    .contains("\"helpers\":[]");
        }
    }
}
