/** Written by benchmarks/cost_figure.py: do not edit. Tokens of prompts, and prices. */
export const DATA = {
 "tasks": {
  "mountaincar": {
   "label": "3 and 4: MountainCar, 3 numbers",
   "budget": 60,
   "sizes": {
    "all": {
     "first": 929.0,
     "trial": 35.0,
     "fresh": 49.0
    },
    "compact": {
     "first": 484.6,
     "trial": 10.57,
     "fresh": 24.7
    },
    "bounded": {
     "first": 502.3,
     "trial": 0.005,
     "fresh": 238.7
    }
   }
  },
  "swimmer": {
   "label": "5: Swimmer, 18 numbers",
   "budget": 100,
   "sizes": {
    "all": {
     "first": 3629.0,
     "trial": 170.0,
     "fresh": 184.0
    },
    "compact": {
     "first": 1091.2,
     "trial": 40.55,
     "fresh": 54.6
    },
    "bounded": {
     "first": 1105.2,
     "trial": 0.003,
     "fresh": 841.3
    }
   }
  },
  "told": {
   "label": "6: MountainCar, the task described",
   "budget": 30,
   "sizes": {
    "all": {
     "first": 1117.0,
     "trial": 35.0,
     "fresh": 49.0
    },
    "compact": {
     "first": 672.6,
     "trial": 10.57,
     "fresh": 24.7
    },
    "bounded": {
     "first": 690.3,
     "trial": 0.005,
     "fresh": 238.7
    }
   }
  },
  "hopper": {
   "label": "9: Hopper, 36 numbers, the task described",
   "budget": 60,
   "sizes": {
    "all": {
     "first": 7222.0,
     "trial": 332.0,
     "fresh": 346.0
    },
    "compact": {
     "first": 2163.8,
     "trial": 76.474,
     "fresh": 90.1
    },
    "bounded": {
     "first": 2174.4,
     "trial": 0.003,
     "fresh": 1557.6
    }
   }
  }
 },
 "forms": {
  "all": "all trials",
  "compact": "all trials, compact",
  "bounded": "compact, the best 10 and the last 10"
 },
 "prices": {
  "openai:gpt-6.1-sol": {
   "input": 2.0,
   "cached": 0.1,
   "written": 2.5,
   "output": 10.0,
   "date": "2026-10-26"
  },
  "openai:gpt-6.1-terra": {
   "input": 1.0,
   "cached": 0.05,
   "written": 1.25,
   "output": 5.0,
   "date": "2026-10-26"
  },
  "openai:gpt-6-astra": {
   "input": 10.0,
   "cached": 1.0,
   "written": 12.5,
   "output": 50.0,
   "date": "2026-10-26"
  },
  "openai:gpt-6-sol": {
   "input": 2.0,
   "cached": 0.2,
   "written": 2.5,
   "output": 10.0,
   "date": "2026-10-26"
  },
  "openai:gpt-6-luna": {
   "input": 0.1,
   "cached": 0.01,
   "written": 0.125,
   "output": 0.5,
   "date": "2026-10-26"
  },
  "openai:gpt-5.5": {
   "input": 5.0,
   "cached": 0.5,
   "written": null,
   "output": 30.0,
   "date": "2026-10-26"
  },
  "openai:gpt-5.4": {
   "input": 2.5,
   "cached": 0.25,
   "written": null,
   "output": 15.0,
   "date": "2026-10-26"
  },
  "openai:gpt-5.4-mini": {
   "input": 0.75,
   "cached": 0.075,
   "written": null,
   "output": 4.5,
   "date": "2026-10-26"
  },
  "openai:gpt-5.4-nano": {
   "input": 0.2,
   "cached": 0.02,
   "written": null,
   "output": 1.25,
   "date": "2026-10-26"
  },
  "openai:gpt-5.2": {
   "input": 1.75,
   "cached": 0.175,
   "written": null,
   "output": 14.0,
   "date": "2026-10-26"
  },
  "openai:gpt-5.1": {
   "input": 1.25,
   "cached": 0.125,
   "written": null,
   "output": 10.0,
   "date": "2026-10-26"
  },
  "openai:gpt-5": {
   "input": 1.25,
   "cached": 0.125,
   "written": null,
   "output": 10.0,
   "date": "2026-10-26"
  },
  "openai:gpt-5-mini": {
   "input": 0.25,
   "cached": 0.025,
   "written": null,
   "output": 2.0,
   "date": "2026-10-26"
  },
  "openai:gpt-5-nano": {
   "input": 0.05,
   "cached": 0.005,
   "written": null,
   "output": 0.4,
   "date": "2026-10-26"
  },
  "openai:gpt-4.1": {
   "input": 2.0,
   "cached": 0.5,
   "written": null,
   "output": 8.0,
   "date": "2026-10-26"
  },
  "openai:gpt-4.1-mini": {
   "input": 0.4,
   "cached": 0.1,
   "written": null,
   "output": 1.6,
   "date": "2026-10-26"
  },
  "openai:gpt-4o": {
   "input": 2.5,
   "cached": 1.25,
   "written": null,
   "output": 10.0,
   "date": "2026-10-26"
  },
  "openai:gpt-4o-mini": {
   "input": 0.15,
   "cached": 0.075,
   "written": null,
   "output": 0.6,
   "date": "2026-10-26"
  },
  "anthropic:claude-opus-5-5": {
   "input": 4.0,
   "cached": 0.2,
   "written": 5.0,
   "output": 20.0,
   "date": "2026-11-22"
  },
  "anthropic:claude-sonnet-5-5": {
   "input": 2.0,
   "cached": 0.1,
   "written": 2.5,
   "output": 10.0,
   "date": "2026-11-22"
  },
  "anthropic:claude-haiku-5-5": {
   "input": 0.1,
   "cached": 0.01,
   "written": 0.125,
   "output": 0.5,
   "date": "2026-11-22"
  },
  "gemini:gemini-3.8-flash": {
   "input": 1.5,
   "cached": 0.15,
   "written": null,
   "output": 7.5,
   "date": "2026-10-26"
  },
  "gemini:gemini-3.5-flash": {
   "input": 1.5,
   "cached": 0.15,
   "written": null,
   "output": 9.0,
   "date": "2026-10-26"
  },
  "gemini:gemini-3.5-flash-lite": {
   "input": 0.3,
   "cached": 0.03,
   "written": null,
   "output": 2.5,
   "date": "2026-10-26"
  },
  "gemini:gemini-3.1-pro-preview": {
   "input": 2.0,
   "cached": 0.2,
   "written": null,
   "output": 12.0,
   "date": "2026-10-26"
  },
  "gemini:gemini-3.1-flash-lite": {
   "input": 0.25,
   "cached": 0.025,
   "written": null,
   "output": 1.5,
   "date": "2026-10-26"
  },
  "gemini:gemini-3-flash-preview": {
   "input": 0.5,
   "cached": 0.05,
   "written": null,
   "output": 3.0,
   "date": "2026-10-26"
  },
  "gemini:gemini-2.5-pro": {
   "input": 1.25,
   "cached": 0.125,
   "written": null,
   "output": 10.0,
   "date": "2026-10-26"
  },
  "gemini:gemini-2.5-flash": {
   "input": 0.3,
   "cached": 0.03,
   "written": null,
   "output": 2.5,
   "date": "2026-10-26"
  },
  "gemini:gemini-2.5-flash-lite": {
   "input": 0.1,
   "cached": 0.01,
   "written": null,
   "output": 0.4,
   "date": "2026-10-26"
  }
 }
};
