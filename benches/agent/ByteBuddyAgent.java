import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;

import java.lang.instrument.Instrumentation;
import java.util.concurrent.atomic.LongAdder;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;

/** Counts the objects of all classes whose name starts with the agent's argument, by Byte Buddy. */
public final class ByteBuddyAgent {
    /** What each constructor adds to. */
    public static final LongAdder OBJECTS = new LongAdder();

    private ByteBuddyAgent() {
    }

    /** The code that each constructor gets at its end. */
    public static final class Count {
        private Count() {
        }

        @Advice.OnMethodExit
        static void exit() {
            OBJECTS.increment();
        }
    }

    public static void premain(String prefix, Instrumentation instrumentation) {
        new AgentBuilder.Default()
                .type(nameStartsWith(prefix))
                .transform((builder, type, loader, module, domain) -> builder.visit(Advice.to(Count.class).on(isConstructor())))
                .installOn(instrumentation);
    }
}
