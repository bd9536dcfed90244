package io.cloudmw.helper.page;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The files of the page, which are in the jars. Safe for any thread. */
final class PageFiles {
    private static final String SCRIPT = "text/javascript; charset=utf-8";
    private static final String STYLE = "text/css; charset=utf-8";
    private static final String HTML = "text/html; charset=utf-8";
    private static final String CHARTS = "/META-INF/resources/webjars/uplot/1.6.30/dist/";

    /** The place in {@code login.html} of the reason why there is no access yet. */
    private static final String MESSAGE = "<!--message-->";

    private static final Map<String, PageFile> FILES = Map.of(
            "/", new PageFile("index.html", HTML, false),
            "/page.css", new PageFile("page.css", STYLE, true),
            "/icon.svg", new PageFile("icon.svg", "image/svg+xml", true),
            "/page.js", new PageFile("page.js", SCRIPT, false),
            "/charts.js", new PageFile("charts.js", SCRIPT, false),
            "/format.js", new PageFile("format.js", SCRIPT, false),
            "/race.js", new PageFile("race.js", SCRIPT, false),
            "/table.js", new PageFile("table.js", SCRIPT, false),
            "/uplot.js", new PageFile(CHARTS + "uPlot.iife.min.js", SCRIPT, false),
            "/uplot.css", new PageFile(CHARTS + "uPlot.min.css", STYLE, false));

    private final Map<String, PageAnswer> read = new ConcurrentHashMap<>();
    private final Map<String, String> tags = new ConcurrentHashMap<>();

    /**
     * A file.
     *
     * @param resource its name, beside this class or from the root
     * @param open whether the login form needs it, so that it is served without a token
     */
    private record PageFile(String resource, String type, boolean open) {}

    /** Returns whether a file is served without a token. */
    static boolean isOpen(String path) {
        return Optional.ofNullable(FILES.get(path)).filter(PageFile::open).isPresent();
    }

    /** Returns the answer with a file; empty when there is none at this path. */
    Optional<PageAnswer> find(String path, HttpExchange exchange) {
        PageFile file = FILES.get(path);
        if (file == null) {
            return Optional.empty();
        }
        PageAnswer answer = read.computeIfAbsent(path, absent -> {
            byte[] bytes = bytes(file.resource());
            String tag = tag(bytes);
            tags.put(path, tag);
            // A browser keeps the file and asks each time whether it is still right: an upgrade shows at once.
            return PageAnswer.of(200, file.type(), bytes)
                    .with("Cache-Control", "no-cache")
                    .with("ETag", tag);
        });
        String tag = tags.getOrDefault(path, "");
        boolean known = tag.equals(exchange.getRequestHeaders().getFirst("If-None-Match"));
        return Optional.of(known ? PageAnswer.unchanged().with("ETag", tag).with("Cache-Control", "no-cache") : answer);
    }

    /**
     * Returns the login form.
     *
     * @param message the program's own text, never a caller's
     */
    PageAnswer login(int status, String message) {
        String form = new String(bytes("login.html"), StandardCharsets.UTF_8).replace(MESSAGE, message);
        return PageAnswer.of(status, HTML, form.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] bytes(String resource) {
        try (InputStream in = PageFiles.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("the jars lack " + resource);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String tag(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return '"' + HexFormat.of().formatHex(digest, 0, 12) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
