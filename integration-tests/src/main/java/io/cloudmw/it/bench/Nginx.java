package io.cloudmw.it.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Scanner;

/** The baseline for comparison: one nginx worker that serves a directory with sendfile, and curl as its client. */
final class Nginx implements AutoCloseable {
    private final Process master;
    private final int port;

    Nginx(Path directory, Path documents, int port) throws IOException {
        this.port = port;
        Path config = directory.resolve("nginx.conf");
        Files.writeString(config, """
                user root;
                daemon off;
                worker_processes 1;
                error_log %1$s/nginx-error.log;
                pid %1$s/nginx.pid;
                events { worker_connections 64; }
                http {
                  access_log off;
                  sendfile on;
                  tcp_nopush on;
                  client_body_temp_path %1$s/nginx-body;
                  proxy_temp_path %1$s/nginx-proxy;
                  fastcgi_temp_path %1$s/nginx-fastcgi;
                  uwsgi_temp_path %1$s/nginx-uwsgi;
                  scgi_temp_path %1$s/nginx-scgi;
                  server { listen 127.0.0.1:%2$d; root %3$s; }
                }
                """.formatted(directory, port, documents));
        this.master = new ProcessBuilder("nginx", "-p", directory.toString(), "-c", config.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("nginx.out").toFile())
                .start();
    }

    double cpuSeconds() throws IOException {
        double sum = 0;
        for (ProcessHandle worker : master.children().toList()) {
            sum += ProcessUsage.cpuSeconds(worker.pid());
        }
        return sum;
    }

    /**
     * Fetches {@code name} into {@code target}; returns curl's CPU seconds (user and system) and the elapsed seconds.
     */
    double[] curl(String name, Path target) throws IOException, InterruptedException {
        String script = "TIMEFORMAT='%U %S %R'; time curl -sS --fail --retry 20 --retry-connrefused -o " + target
                + " http://127.0.0.1:" + port + "/" + name;
        Process bash = new ProcessBuilder(List.of("bash", "-c", script))
                .redirectErrorStream(true)
                .start();
        try (Scanner scanner = new Scanner(bash.getInputStream(), java.nio.charset.StandardCharsets.UTF_8)) {
            double user = Double.parseDouble(scanner.next());
            double system = Double.parseDouble(scanner.next());
            double elapsed = Double.parseDouble(scanner.next());
            if (bash.waitFor() != 0) {
                throw new IOException("curl failed: exit " + bash.exitValue());
            }
            return new double[] {user + system, elapsed};
        }
    }

    @Override
    public void close() {
        master.destroy();
    }
}
