package io.cloudmw.core.testing.store;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * An HTTP server on raw sockets that treats each request as a test says, however rude. It answers before the body is
 * read, closes or resets a connection in the middle, or stalls. {@link ScriptedHttpServer} reads every body first.
 * Safe for any thread.
 */
public final class RawHttpServer implements AutoCloseable {
    private static final String CRLF = "\r\n";

    private final ServerSocket listening;
    private final Handler handler;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Set<Closeable> open = ConcurrentHashMap.newKeySet();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final CountDownLatch closing = new CountDownLatch(1);

    /** The handler of a request whose head was read. The connection is closed afterwards. */
    @FunctionalInterface
    public interface Handler {
        void handle(Exchange exchange) throws IOException;
    }

    public RawHttpServer(Handler handler) throws IOException {
        this.handler = handler;
        this.listening = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        threads.execute(this::accept);
    }

    /** {@code http://127.0.0.1:port}. */
    public URI uri() {
        return URI.create("http://127.0.0.1:" + listening.getLocalPort());
    }

    /** The methods of the requests so far. */
    public List<String> methods() {
        return List.copyOf(requests);
    }

    @Override
    public void close() throws IOException {
        closing.countDown();
        listening.close();
        for (Closeable socket : open) {
            socket.close();
        }
        threads.shutdownNow();
    }

    private void accept() {
        while (closing.getCount() > 0) {
            try {
                Socket socket = listening.accept();
                open.add(socket);
                threads.execute(() -> serve(socket));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            Exchange exchange = new Exchange(socket);
            if (exchange.readHead()) {
                requests.add(exchange.method());
                handler.handle(exchange);
            }
        } catch (IOException e) {
            // The client has closed, as some tests want it to.
        } finally {
            open.remove(socket);
        }
    }

    /** A request, and its responses. */
    public final class Exchange {
        private final Socket socket;
        private final InputStream in;
        private final OutputStream out;
        private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        private String line = "";

        private Exchange(Socket socket) throws IOException {
            this.socket = socket;
            this.in = new BufferedInputStream(socket.getInputStream());
            this.out = socket.getOutputStream();
        }

        private boolean readHead() throws IOException {
            line = readLine();
            for (String next = readLine(); !next.isEmpty(); next = readLine()) {
                int colon = next.indexOf(':');
                headers.put(next.substring(0, colon), next.substring(colon + 1).trim());
            }
            return !line.isEmpty();
        }

        private String readLine() throws IOException {
            StringBuilder text = new StringBuilder();
            int next = in.read();
            while (next >= 0 && next != '\n') {
                if (next != '\r') {
                    text.append((char) next);
                }
                next = in.read();
            }
            return text.toString();
        }

        public String method() {
            return line.substring(0, line.indexOf(' '));
        }

        /** The path without the query. */
        public String path() {
            return line.substring(line.indexOf(' ') + 1, line.lastIndexOf(' ')).replaceFirst("\\?.*", "");
        }

        public Optional<String> header(String name) {
            return Optional.ofNullable(headers.get(name));
        }

        public boolean expectsContinue() {
            return header("Expect").isPresent();
        }

        /** Tells the client that it may send the body. */
        public Exchange goOn() throws IOException {
            return write("HTTP/1.1 100 Continue" + CRLF + CRLF);
        }

        /** Reads so many bytes of the body. */
        public Exchange read(int bytes) throws IOException {
            in.readNBytes(bytes);
            return this;
        }

        /** Reads the whole body. */
        public Exchange readAll() throws IOException {
            if (expectsContinue()) {
                goOn();
            }
            in.skipNBytes(Long.parseLong(header("Content-Length").orElse("0")));
            return this;
        }

        /** Responds without content. */
        public Exchange answer(int status, String... more) throws IOException {
            return write(head(status, more) + "Content-Length: 0" + CRLF + CRLF);
        }

        /** Responds like S3 with an error; to HEAD without a body. */
        public Exchange error(int status, String code, String... more) throws IOException {
            return text(
                    status,
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>" + code
                            + "</Code><Message>scripted</Message><RequestId>r1</RequestId></Error>",
                    more);
        }

        /** Responds with a body. */
        public Exchange text(int status, String body, String... more) throws IOException {
            write(head(status, more) + "Content-Length: " + body.length() + CRLF + CRLF);
            return method().equals("HEAD") ? this : write(body);
        }

        /** Responds with the head of a body of so many bytes, and sends none of them. */
        public Exchange promise(int status, int bodyBytes, String... more) throws IOException {
            return write(head(status, more) + "Content-Length: " + bodyBytes + CRLF + CRLF);
        }

        private String head(int status, String... more) {
            StringBuilder head =
                    new StringBuilder("HTTP/1.1 " + status + " Scripted" + CRLF + "Connection: close" + CRLF);
            for (String header : more) {
                head.append(header).append(CRLF);
            }
            return head.toString();
        }

        public Exchange write(String text) throws IOException {
            out.write(text.getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
            return this;
        }

        /** Resets the connection: bytes that were written and not yet received may be lost. */
        public void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }

        /** Does nothing until the server is closed. */
        public void stall() {
            try {
                closing.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A {@code Date} header. */
    public static String date(Instant at) {
        return "Date: "
                + DateTimeFormatter.RFC_1123_DATE_TIME.withLocale(Locale.ROOT).format(at.atOffset(ZoneOffset.UTC));
    }
}
