"""A lab with the real Hermes Agent: two releases, made-up homes, a provider on loopback, and agents that run turns.

Everything is made up but the agent: tokens are invented, and no process of it reaches further than loopback.
"""
