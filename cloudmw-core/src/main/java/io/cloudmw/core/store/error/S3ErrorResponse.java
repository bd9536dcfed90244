package io.cloudmw.core.store.error;

import io.cloudmw.core.error.RetryVerdict;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An error response of an S3 store.
 *
 * @param status of HTTP
 * @param code the server's; empty when it named none
 * @param text the server's message; may be empty
 * @param request the server's id of the request; may be empty
 * @param region the bucket's region by the server; empty when it does not name one
 * @param clockAhead how far this machine's clock is ahead of the server's; negative: behind; empty when not known
 */
public record S3ErrorResponse(
        S3Fault fault,
        int status,
        String code,
        String text,
        String request,
        String region,
        Optional<Duration> clockAhead) {
    private static final int MAX_TEXT = 300;
    private static final Pattern CODE = Pattern.compile("<Code>([A-Za-z0-9.]{1,64})</Code>");
    private static final Pattern TEXT = Pattern.compile("<Message>([^<]{1,2000})</Message>");
    private static final Pattern REQUEST = Pattern.compile("<RequestId>([A-Za-z0-9_-]{1,128})</RequestId>");
    private static final Pattern REGION = Pattern.compile("<Region>([a-z0-9-]{1,64})</Region>");
    private static final Pattern EXPECTED_REGION =
            Pattern.compile("region .{0,80} is wrong; expecting (?:'|\"|&#34;|&quot;|&#39;)([a-z0-9-]{1,64})");

    /**
     * Reads a response.
     *
     * @param header gives the first header of a name, in any case; empty when there is none
     * @param body the response's, or its beginning; empty for a response to HEAD
     * @param nowMillis this machine's civil time
     */
    public static S3ErrorResponse of(
            int status, Function<String, Optional<String>> header, String body, long nowMillis) {
        String code = first(CODE, body);
        String region = region(header.apply("x-amz-bucket-region").orElse(""), body);
        boolean names = !region.isEmpty() && (code.startsWith("Authorization") || (code.isEmpty() && status == 400));
        S3Fault fault = names ? S3Fault.WRONG_REGION : S3Fault.of(status, code);
        String request = first(REQUEST, body);
        return new S3ErrorResponse(
                fault,
                status,
                code,
                cut(first(TEXT, body)),
                request.isEmpty() ? header.apply("x-amz-request-id").orElse("") : request,
                region,
                header.apply("Date").flatMap(date -> ahead(date, nowMillis)));
    }

    /** The same response, known to be another fault. */
    public S3ErrorResponse as(S3Fault known) {
        return new S3ErrorResponse(known, status, code, text, request, region, clockAhead);
    }

    /** The response in the server's own words: status, code and text. */
    public String summary() {
        return (status + " " + code + " " + text).strip().replaceAll("\\s+", " ");
    }

    /** The failure's retry verdict. */
    public RetryVerdict verdict() {
        return fault.verdict();
    }

    /**
     * The response, its meaning, and a remedy.
     *
     * @param server the server's name, like {@code S3}
     * @param ownRegion the region of the store's settings; empty when not known
     */
    public String describe(String server, String ownRegion) {
        StringBuilder description =
                new StringBuilder(server).append(" answered ").append(status);
        if (!code.isEmpty()) {
            description.append(' ').append(code);
        }
        if (!request.isEmpty()) {
            description.append(" (request ").append(request).append(')');
        }
        description.append(": ").append(meaning(ownRegion));
        boolean explains = fault == S3Fault.REFUSED || fault == S3Fault.NOT_PERMITTED || fault == S3Fault.UNUSABLE_KEY;
        if (explains && !text.isEmpty()) {
            description.append(" (\"").append(text).append("\")");
        }
        return description.toString();
    }

    private String meaning(String ownRegion) {
        if (fault == S3Fault.WRONG_REGION && !region.isEmpty()) {
            String own = ownRegion.isEmpty() ? "another region" : ownRegion;
            return "the bucket is in region " + region + ", the store says " + own + "; add the store with --region "
                    + region;
        }
        if (fault == S3Fault.WRONG_CLOCK && clockAhead.isPresent()) {
            Duration off = clockAhead.get();
            return "this machine's clock is " + inWords(off.abs()) + (off.isNegative() ? " behind" : " ahead of")
                    + " the server's; " + fault.advice();
        }
        return fault.advice();
    }

    private static String inWords(Duration off) {
        return off.toMinutes() < 2 ? off.toSeconds() + " s" : off.toMinutes() + " min";
    }

    private static String region(String header, String body) {
        if (!header.isEmpty()) {
            return header.matches("[a-z0-9-]{1,64}") ? header : "";
        }
        String named = first(REGION, body);
        return named.isEmpty() ? first(EXPECTED_REGION, body) : named;
    }

    private static Optional<Duration> ahead(String date, long nowMillis) {
        try {
            long server = ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant()
                    .toEpochMilli();
            return Optional.of(Duration.ofMillis(nowMillis - server));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static String cut(String text) {
        String one = unescaped(text).replaceAll("\\s+", " ").trim();
        return one.length() <= MAX_TEXT ? one : one.substring(0, MAX_TEXT);
    }

    private static String unescaped(String xml) {
        return xml.replaceAll("&#39;|&apos;", "'")
                .replaceAll("&#34;|&quot;", "\"")
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&amp;", "&");
    }

    private static String first(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        return found.find() ? found.group(1) : "";
    }
}
