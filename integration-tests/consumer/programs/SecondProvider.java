import org.slf4j.helpers.NOP_FallbackServiceProvider;

/** A provider of logs beside the application's other one. */
public final class SecondProvider extends NOP_FallbackServiceProvider {}
